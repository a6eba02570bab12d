pragma circom 2.0.0;

// No public signal at all: the statement is "I know a factorisation of 35".
template NoPublic() {
    signal input a;
    signal input b;
    a * b === 35;
}

component main = NoPublic();
