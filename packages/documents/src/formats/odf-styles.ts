import type { Attributes } from '../package/read-xml.ts';

/** What the styles that a file brings say of paragraphs and lists. */
export class OdfStyles {
  readonly #parents = new Map<string, string>();
  readonly #numbered = new Map<string, Set<number>>();
  #list = '';

  /** An element before the body. */
  open(name: string, attribute: Attributes): void {
    const style = attribute('style:name') ?? '';
    if (name === 'style') this.#parents.set(style, attribute('parent-style-name') ?? '');
    else if (name === 'list-style') this.#list = style;
    else if (name === 'list-level-style-number') {
      const depths = this.#numbered.get(this.#list) ?? new Set();
      this.#numbered.set(this.#list, depths.add(Number(attribute('level')) - 1));
    }
  }

  /** What a style is called that people choose: those of the file's own stand on them. */
  nameOf(style: string): string {
    return (this.#parents.get(style) || style).replaceAll('_20_', ' ');
  }

  isNumbered(list: string, depth: number): boolean {
    return this.#numbered.get(list)?.has(depth) ?? false;
  }
}
