// @ts-check
// The signs of the font of pictures, and how wide they are: fonts differ, so that no text can be measured without one.
// Made from dejavu-sans-condensed.ttf, which a test compares with it.

/** Runs of signs: the code of the first one, then of each the width in hundredths of the size, as two digits of base 36. */
export const GLYPHS = /** @type {const} */ ([
  [
    0x20,
    "0t1116241m2e1z0p101019240t0x0t0v1m1m1m1m1m1m1m1m1m1m0v0v2424241c2i1q1q1r1y1l1g1y1w0r0r1n1f261w1z1j1z1r1m1j1u1q2h1q1j1q100v102419191k1m1e1m1k0w1m1m0p0p1h0p2g1m1k1m1m111b101m1i221i1i1c1m0v1m24",
  ],
  [0xa1, "111m1m1m1m0v19192i171k24"],
  [
    0xae,
    "2i1919241111191m1m0t1911171k2g2g2g1c1q1q1q1q1q1q2g1r1l1l1l1l0r0r0r0r1y1w1z1z1z1z1z241z1u1u1u1u1j1j1l1k1k1k1k1k1k2h1e1k1k1k1k0p0p0p0p1k1m1k1k1k1k1k241k1m1m1m1m1i1m1i1q1k1q1k1q1k1r1e1r1e1r1e1r1e1y1m1y1m1l1k1l1k1l1k1l1k1l1k1y1m1y1m1y1m1y1m1w1m2b1r0r0p0r0p0r0p0r0p0r0p1i1e0r0p1n1h1h1f0p1f0p1f0y1f0v1f0q1w1m1w1m1w1m221w1m1z1k1z1k1z1k2p2l1r111r111r111m1b1m1b1m1b1m1b1j101j101j101u1m1u1m1u1m1u1m1u1m1u1m2h221j1i1j1q1c1q1c1q1c0w",
  ],
  [0x218, "1m1b1j10"],
  [0x386, "1r0t1w2711"],
  [0x38c, "22"],
  [0x38e, "23230v1q1q1f1q1l1q1w1z0r1n1q261w1l1z1w1j"],
  [0x3a3, "1l1j1j1z1q1z1x0r1j1o1d1m0v1h1o1m1i1k1d1d1m1k0v1i1i1m1f1f1k1j1m1h1m1j1h1o1g1o240v1h1k1h24"],
  [
    0x400,
    "1l1l1z1j1r1m0r0r0r2r2n1z1s1w1j1w1q1q1q1j1z1l2p1m1w1w1s1w261w1z1w1j1r1j1j261q1y1q2p2r23281q1r2q1r1k1k1i1c1r1k2a1c1n1n1j1m1w1n1k1n1m1e1h1i251i1q1i2b2d1s201i1e241j1k1k1l1c1e1b0p0p0p2a291n1j1n1i1n",
  ],
  [0x490, "1j1c"],
  [0x2010, "0x0x1m192i2i"],
  [0x2018, "0t0t0t0t1b1b1b"],
  [0x2020, "19191i"],
  [0x2026, "2i"],
  [0x2030, "3d"],
  [0x2032, "0l0y"],
  [0x2039, "1010"],
  [0x2044, "0f"],
  [0x20ac, "1m"],
  [0x20bd, "1m"],
  [0x2116, "2m"],
  [0x2122, "2i"],
  [0x2190, "24242424"],
  [0x2206, "1p"],
  [0x2212, "24"],
  [0x221e, "23"],
  [0x2248, "24"],
  [0x2260, "24"],
  [0x2264, "2424"],
  [0x25a0, "2e"],
  [0x25cf, "27"],
  [0x2713, "24"],
]);
