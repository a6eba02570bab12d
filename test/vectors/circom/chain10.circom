pragma circom 2.0.0;

// 1022 squarings, one public output: constraints, output and ONE fill a domain of 2^10 exactly.
template Chain(n) {
    signal input x;
    signal output y;
    signal s[n];
    s[0] <== x * x;
    for (var i = 1; i < n; i++) {
        s[i] <== s[i - 1] * (s[i - 1] + i);
    }
    y <== s[n - 1];
}

component main = Chain(1022);
