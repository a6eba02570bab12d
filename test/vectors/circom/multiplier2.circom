pragma circom 2.0.0;

// The smallest circuit: one constraint, one public output.
template Multiplier2() {
    signal input a;
    signal input b;
    signal output c;
    c <== a * b;
}

component main = Multiplier2();
