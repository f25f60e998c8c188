import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { ConfigError } from '@chorus/runtime/config';

const CIPHER = 'aes-256-gcm';
const PREFIX = 'sealed:1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Key {
  id: string;
  bytes: Buffer;
}

/** Whether a stored value is an envelope of `SecretBox`. */
export function isSealed(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(`${PREFIX}:`);
}

/**
 * Encrypts secrets before they are stored.
 *
 * An envelope is `sealed:1:<key id>:<nonce, ciphertext and tag in base64url>`. It opens only with the
 * context it was sealed with, so a value that was moved to another record is refused.
 */
export class SecretBox {
  readonly #read: () => readonly string[];
  #passphrases = '';
  #keys: readonly Key[] = [];

  /** @param read returns the keys; the first one seals. Called again when one may have been added. */
  constructor(read: () => readonly string[]) {
    this.#read = read;
    this.#refresh();
  }

  /** Identifies the sealing key without revealing it. */
  get keyId(): string {
    return this.#sealing().id;
  }

  seal(context: string, text: string): string {
    this.#refresh();
    const { id, bytes } = this.#sealing();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, bytes, nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${PREFIX}:${id}:${sealed.toString('base64url')}`;
  }

  /** @throws {ConfigError} that names SECRET_KEY where no key opens it */
  open(context: string, sealed: string): string {
    const [id = '', body = ''] = isSealed(sealed) ? sealed.slice(PREFIX.length + 1).split(':') : [];
    const key = this.#find(id);
    if (key === undefined) throw new ConfigError([`SECRET_KEY does not open ${context}: ${reasonOf(id, this.keyId)}`]);
    try {
      const bytes = Buffer.from(body, 'base64url');
      const decipher = createDecipheriv(CIPHER, key.bytes, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch (cause) {
      throw new Error(`the stored secret ${context} was changed or belongs to another record`, { cause });
    }
  }

  /** Whether a stored value is sealed with the current key. */
  isCurrent(value: unknown): boolean {
    return isSealed(value) && value.startsWith(`${PREFIX}:${this.keyId}:`);
  }

  #sealing(): Key {
    const [first] = this.#keys;
    if (first === undefined) throw new ConfigError(['SECRET_KEY has no key']);
    return first;
  }

  #find(id: string): Key | undefined {
    const known = this.#keys.find((key) => key.id === id);
    if (known !== undefined || id === '') return known;
    this.#refresh(); // another process may have added it
    return this.#keys.find((key) => key.id === id);
  }

  #refresh(): void {
    const passphrases = this.#read();
    if (passphrases.join() === this.#passphrases) return;
    this.#passphrases = passphrases.join();
    this.#keys = passphrases.map((text) => ({
      id: derive(text, 'id', 6).toString('hex'),
      bytes: derive(text, 'key', 32),
    }));
  }
}

function derive(passphrase: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', passphrase, '', `chorus secrets ${purpose}`, bytes));
}

function reasonOf(id: string, ours: string): string {
  if (id === '') return 'it is not encrypted. Start the platform once more to encrypt it';
  return `it is encrypted with the key ${id}, and this process has ${ours}. Set the same SECRET_KEY on every machine`;
}
