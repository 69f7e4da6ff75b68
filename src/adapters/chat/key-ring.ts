import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";

/** The length of a key in bytes. */
export const KEY_BYTES = 32;

/** https://csrc.nist.gov/pubs/sp/800/38/d/final: a nonce of 96 bits, a tag of 128. */
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

type DerivedKeys = ReturnType<typeof derive>;

/** The secret keys of an operator: the first one seals and signs, each of them opens and verifies. */
export class KeyRing {
  readonly #keys: readonly DerivedKeys[];
  readonly #first: DerivedKeys;

  /** @throws TypeError without a key, or with one of another length than 32 bytes. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys.map(derive);
    const [first] = this.#keys;
    if (first === undefined) throw new TypeError("A key ring needs a key.");
    this.#first = first;
  }

  /** Seals a text that can be opened only as what it is `about`. */
  seal(text: string, about: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const { fingerprint, sealing } = this.#first;
    const cipher = createCipheriv(CIPHER, sealing, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(about));
    const bytes = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return [fingerprint, nonce.toString("base64url"), bytes.toString("base64url")].join(".");
  }

  /** Undefined where none of the keys sealed it, it is about something else, or it was changed. */
  open(sealed: string, about: string): string | undefined {
    const [fingerprint, nonce = "", bytes = ""] = sealed.split(".");
    const key = this.#keys.find((one) => one.fingerprint === fingerprint);
    const whole = Buffer.from(bytes, "base64url");
    if (key === undefined || whole.length < TAG_BYTES) return undefined;
    try {
      const decipher = createDecipheriv(CIPHER, key.sealing, Buffer.from(nonce, "base64url"), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(about)).setAuthTag(whole.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(whole.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
    } catch {
      return undefined;
    }
  }

  /** Whether the first key sealed it. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${this.#first.fingerprint}.`);
  }

  sign(text: string): string {
    return signature(this.#first, text);
  }

  /** Whether one of the keys signed the text. Compares in constant time. */
  verify(text: string, given: string): boolean {
    const bytes = Buffer.from(given);
    return this.#keys.some((key) => {
      const expected = Buffer.from(signature(key, text));
      return expected.length === bytes.length && timingSafeEqual(expected, bytes);
    });
  }
}

/** `fingerprint` says with which key a text was sealed; it tells nothing of the key. */
function derive(key: Uint8Array) {
  if (key.length !== KEY_BYTES) throw new TypeError(`A key has ${KEY_BYTES} bytes, not ${key.length}.`);
  const bytes = (purpose: string, length: number): Uint8Array =>
    new Uint8Array(hkdfSync("sha256", key, "", `bellwether ${purpose}`, length));
  return {
    fingerprint: Buffer.from(bytes("fingerprint", 6)).toString("base64url"),
    sealing: bytes("sealing", KEY_BYTES),
    signing: bytes("signing", KEY_BYTES),
  };
}

function signature({ signing }: DerivedKeys, text: string): string {
  return createHmac("sha256", signing).update(text).digest("base64url");
}
