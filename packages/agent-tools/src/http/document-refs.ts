/** A document that cannot be used, with a message for the user. */
export class DocumentError extends Error {}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_HOPS = 20;
const MAX_DEPTH = 16;
const MAX_NODES = 2_000;

/** Keywords that a tool's schema needs. Others are left out, such as examples and extensions. */
const KEPT = new Set(
  (
    'type format title description enum const default properties required items prefixItems additionalProperties ' +
    'oneOf anyOf allOf not minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern ' +
    'minItems maxItems uniqueItems minProperties maxProperties nullable'
  ).split(' '),
);
const BY_NAME = new Set(['properties']);
const AS_IS = new Set(['enum', 'const', 'default', 'required']);

/** References within a document. Others are refused, so that no other document is read. */
export class DocumentRefs {
  readonly #document: JsonObject;

  constructor(document: JsonObject) {
    this.#document = document;
  }

  /** Returns an object, following references to it. @throws {DocumentError} for external and circular ones */
  follow(value: unknown): JsonObject | null {
    let current = value;
    for (let hops = 0; hops <= MAX_HOPS; hops += 1) {
      if (!isObject(current)) return null;
      if (typeof current.$ref !== 'string') return current;
      current = this.#find(current.$ref);
    }
    throw new DocumentError('The document has circular references.');
  }

  /** Returns a schema without references. Parts that are recursive or too deep accept anything, as do excess parts. */
  schema(value: unknown): JsonObject {
    let nodes = 0;
    const copy = (given: unknown, depth: number, within: readonly string[]): unknown => {
      nodes += 1;
      if (given === true || given === false) return given;
      if (!isObject(given) || depth > MAX_DEPTH || nodes > MAX_NODES) return {};
      const { $ref } = given;
      if (typeof $ref === 'string') {
        if (within.includes($ref)) return {};
        return copy(this.#find($ref), depth + 1, [...within, $ref]);
      }
      const entries = Object.entries(given).filter(([name]) => KEPT.has(name));
      return Object.fromEntries(
        entries.map(([name, part]): [string, unknown] => {
          if (AS_IS.has(name) || typeof part !== 'object' || part === null) return [name, part];
          if (Array.isArray(part))
            return [name, name === 'type' ? part : part.map((one) => copy(one, depth + 1, within))];
          if (!BY_NAME.has(name)) return [name, copy(part, depth + 1, within)];
          const named = Object.entries(part).map(([key, one]) => [key, copy(one, depth + 1, within)]);
          return [name, Object.fromEntries(named)];
        }),
      );
    };
    const schema = copy(value ?? {}, 0, []);
    return isObject(schema) ? schema : {};
  }

  #find(ref: string): unknown {
    if (!ref.startsWith('#/'))
      throw new DocumentError(`The document refers to \`${ref.slice(0, 200)}\`. References must start with \`#/\`.`);
    let current: unknown = this.#document;
    for (const part of ref.slice(2).split('/')) {
      const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
      const inside: unknown = typeof current === 'object' && current !== null ? current : {};
      current = Object.hasOwn(inside as object, key) ? (inside as JsonObject)[key] : undefined;
    }
    if (current === undefined) throw new DocumentError(`The reference \`${ref.slice(0, 200)}\` leads nowhere.`);
    return current;
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
