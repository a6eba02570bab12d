pragma circom 2.0.0;
template T() { signal input a; signal input b; signal input c[9]; }
component main {public [a]} = T();
