pragma circom 2.0.0;

// 2^14 constraints, one public output: the domain is 2^15.
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

component main = Chain(16384);
