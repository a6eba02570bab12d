pragma circom 2.0.0;

// Public inputs and outputs, bits, inverses, negative and large coefficients, an input that no
// constraint uses, and a constraint whose B side is constant.
template Bits(n) {
    signal input in;
    signal output out[n];
    var sum = 0;
    for (var i = 0; i < n; i++) {
        out[i] <-- (in >> i) & 1;
        out[i] * (out[i] - 1) === 0;
        sum += out[i] * (1 << i);
    }
    sum === in;
}

template IsZero() {
    signal input in;
    signal output out;
    signal inv;
    inv <-- in != 0 ? 1 / in : 0;
    out <== 1 - in * inv;
    in * out === 0;
}

template Mixed() {
    signal input x;       // public
    signal input y;       // public
    signal input secret;
    signal input unused;
    signal output product;
    signal output zero;
    signal output weight;

    component bits = Bits(16);
    bits.in <== secret;
    var w = 0;
    for (var i = 0; i < 16; i++) {
        w += bits.out[i];
    }
    weight <== w;

    component iz = IsZero();
    iz.in <== x - y;
    zero <== iz.out;

    signal t;
    t <== (3 * x - 5 * y + 123456789012345678901234567890) * (secret - 7 * weight);
    product <== t * t - secret;
}

component main {public [x, y]} = Mixed();
