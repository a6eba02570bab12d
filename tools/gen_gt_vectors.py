#!/usr/bin/env python3
# Writes test/vectors/gt.txt on standard output; run from the root of the tree.
import sys,random,hashlib
sys.path.insert(0,'test/aggregate')
from snarkpack_model import *
random.seed(381)
G=d1(bytes.fromhex('97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb'))
H=d2(bytes.fromhex('93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8'))
e=pair((G,H))
print('# Elements of GT by the Python model (test/aggregate/snarkpack_model.py): e(g, h)^k.')
print('# power K COMPRESSED TRANSCRIPT_FORM    (K hexadecimal, big endian)')
for k in [1,2,3,R-1,R-2,0xd201000000010000,R-0xd201000000010000,1<<64,(1<<64)-1,1<<128]+[random.randrange(R) for _ in range(6)]:
    x=pw(e,k); print('power %064x %s %s'%(k,gtc(x).hex(),gt(x).hex()))
print('# product COUNT (P_SCALAR Q_SCALAR)... TRANSCRIPT_FORM: product of e(P g, Q h)')
for n in (1,2,5):
    ks=[(random.randrange(R),random.randrange(R)) for _ in range(n)]
    x=pair(*[(g1.smul(G,a),g2.smul(H,b)) for a,b in ks])
    print('product %d %s %s'%(n,' '.join('%064x %064x'%k for k in ks),gt(x).hex()))
print('# outside REASON COMPRESSED: forms that are refused')
# cyclotomic, not order r: f^((q^6-1)(q^2+1)) of a random f
f=tuple((random.randrange(Q),random.randrange(Q)) for _ in range(6))
t=mul(conj(f),inv(f)); c=mul(tuple((a[0]*g%Q,a[1]*g%Q) for a,g in zip(t,FR2)),t)
print('outside cyclotomic %s'%gtc(c).hex())
print('outside norm_one %s'%gtc(t).hex())
o=pw(c,R)  # order divides the cofactor
print('outside cofactor %s'%gtc(o).hex())
s=pw(c,(Q**4-Q*Q+1)//4513); assert s!=ONE and pw(s,4513)==ONE
print('outside order_4513 %s'%gtc(s).hex())
print('outside order_4513_times_member %s'%gtc(mul(s,e)).hex())
print('outside zero %s'%('00'*288))
b=bytearray(gtc(e)); b[:48]=Q.to_bytes(48,'little'); print('outside coefficient %s'%b.hex())
b=bytearray(gtc(e)); b[240:]=b'\xff'*48; print('outside coefficient %s'%b.hex())
