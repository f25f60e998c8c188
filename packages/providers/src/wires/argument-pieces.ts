import { z } from 'zod';

export const argumentPiece = z.object({
  jsonPath: z.string(),
  stringValue: z.string().nullish(),
  numberValue: z.number().nullish(),
  boolValue: z.boolean().nullish(),
  nullValue: z.unknown().optional(),
  willContinue: z.boolean().nullish(),
});
type ArgumentPiece = z.infer<typeof argumentPiece>;

type Container = Record<string | number, unknown>;

/** Assembles the arguments of a call from values at paths such as `$.recipe.steps[0]`. */
export class ArgumentPieces {
  readonly #root: Container = {};

  add(pieces: readonly ArgumentPiece[]): void {
    for (const piece of pieces) this.#add(piece);
  }

  toJson(): string {
    return JSON.stringify(this.#root);
  }

  #add(piece: ArgumentPiece): void {
    const endsArray = piece.jsonPath.endsWith('[]');
    const path = segmentsOf(endsArray ? piece.jsonPath.slice(0, -2) : piece.jsonPath);
    const leaf = path.at(-1);
    if (leaf === undefined || !this.#isDense(path)) return;
    const known = this.#at(path);
    const { stringValue, numberValue, boolValue } = piece;
    let value: unknown = stringValue ?? numberValue ?? boolValue;
    if (typeof known === 'string' && stringValue != null) value = known + stringValue;
    else if (value == null && 'nullValue' in piece) value = null;
    else if (value == null) {
      // Ends a string or an array, or is an empty container.
      if (known !== undefined || piece.willContinue === true) return;
      value = endsArray ? [] : {};
    }
    this.#set(path, value);
  }

  #at(path: readonly (string | number)[]): unknown {
    let at: unknown = this.#root;
    for (const segment of path) at = own(at, segment);
    return at;
  }

  #set(path: readonly (string | number)[], value: unknown): void {
    let at = this.#root;
    for (const [index, segment] of path.entries()) {
      const next = path[index + 1];
      if (next === undefined) define(at, segment, value);
      else if (own(at, segment) == null) define(at, segment, typeof next === 'number' ? [] : {});
      at = at[segment] as Container;
    }
  }

  /** Whether each index exists or is the next one, so that a short answer cannot create a long array. */
  #isDense(path: (string | number)[]): boolean {
    let at: unknown = this.#root;
    for (const [index, given] of path.entries()) {
      let segment = given;
      if (Array.isArray(at) && /^\d{1,9}$/.test(String(given))) {
        segment = Number(given);
        path[index] = segment;
      }
      const length = Array.isArray(at) ? at.length : at == null ? 0 : Number.POSITIVE_INFINITY;
      if (typeof segment === 'number' && segment > length) return false;
      at = own(at, segment);
    }
    return true;
  }
}

/** Splits `$.a.b[0]` into `a`, `b`, and 0. */
function segmentsOf(path: string): (string | number)[] {
  if (path === '$') return [];
  return path
    .replace(/^\$\./, '')
    .split('.')
    .flatMap((part) => {
      const [name = '', ...indexes] = part.split('[');
      const numbers = indexes.map((index) => Number.parseInt(index, 10)).filter((index) => index >= 0);
      return [...(name === '' && indexes.length > 0 ? [] : [name]), ...numbers];
    })
    .filter((segment) => segment !== '');
}

function own(container: unknown, key: string | number): unknown {
  return typeof container === 'object' && container !== null && Object.hasOwn(container, key)
    ? (container as Container)[key]
    : undefined;
}

/** Defines an own property, even if it is called `__proto__`. */
function define(container: Container, key: string | number, value: unknown): void {
  Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
}
