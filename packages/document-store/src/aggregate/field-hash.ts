import { type Candidate, type Portions, portionsOf, type Source } from '../plan/scan.ts';
import { keyText } from '../values/keys.ts';
import { type Path, visitPath } from '../values/path.ts';
import { PORTION, STAGE_BYTES } from './stage.ts';

/** Documents by the values of a field, as an equality finds them: for lookups that no index serves. */
export class FieldHash {
  readonly #candidates: Candidate[] = [];
  /** The places of the candidates that have a value. */
  readonly #places = new Map<string, number[]>();
  #bytes = 0;

  /** Reads all of a source; undefined where that is more than a stage may hold. */
  static *read(source: Source, path: Path): Generator<never[], FieldHash | undefined> {
    const hash = new FieldHash();
    for (const portion of portionsOf(source)) {
      for (const candidate of portion) hash.#add(candidate, path);
      if (hash.#bytes > STAGE_BYTES) return undefined;
      yield [];
    }
    return hash;
  }

  /** The documents that have one of the values, in the order in which they were read. */
  *find(values: readonly unknown[]): Portions {
    const places = new Set(values.flatMap((value) => this.#places.get(keyText(value ?? null)) ?? []));
    const inOrder = [...places].sort((left, right) => left - right);
    for (let start = 0; start < inOrder.length; start += PORTION) {
      yield inOrder.slice(start, start + PORTION).map((place) => (this.#candidates[place] as Candidate).undecoded());
    }
    return undefined;
  }

  #add(candidate: Candidate, path: Path): void {
    const place = this.#candidates.push(candidate.undecoded()) - 1;
    this.#bytes += candidate.bytes.length + 64;
    visitPath(candidate.document, path, true, (value) => {
      // A missing value equals null.
      const key = keyText(value ?? null);
      const places = this.#places.get(key);
      if (places) places.push(place);
      else this.#places.set(key, [place]);
      this.#bytes += places ? 8 : 2 * key.length + 64;
      return false;
    });
  }
}
