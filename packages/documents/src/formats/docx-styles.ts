import type { Package } from '../package/open-package.ts';
import { readXml } from '../package/read-xml.ts';

export interface DocxStyle {
  name: string;
  basedOn: string | null;
  outline: number | null;
  list: string | null;
}

const MAX_PARENTS = 20;

export class DocxStyles {
  readonly #styles: ReadonlyMap<string, DocxStyle>;

  constructor(styles: ReadonlyMap<string, DocxStyle>) {
    this.#styles = styles;
  }

  /** Returns the first value found in the style or its base styles. */
  find<T>(id: string | null, pick: (style: DocxStyle) => T | null): T | null {
    let at = id;
    for (let count = 0; at !== null && count < MAX_PARENTS; count += 1) {
      const style = this.#styles.get(at);
      if (style === undefined) return null;
      const found = pick(style);
      if (found !== null) return found;
      at = style.basedOn;
    }
    return null;
  }
}

export async function readStyles(packed: Package, part: string | undefined): Promise<DocxStyles> {
  const styles = new Map<string, DocxStyle>();
  let style: DocxStyle | null = null;
  if (part !== undefined)
    await readXml(packed, part, {
      open(name, attribute) {
        if (name === 'style') {
          style = { name: '', basedOn: null, outline: null, list: null };
          styles.set(attribute('styleId') ?? '', style);
        } else if (style) setFact(style, name, attribute('val') ?? null);
      },
      close(name) {
        if (name === 'style') style = null;
      },
    });
  return new DocxStyles(styles);
}

function setFact(style: DocxStyle, name: string, value: string | null): void {
  if (name === 'name') style.name = value ?? '';
  else if (name === 'basedOn') style.basedOn = value;
  else if (name === 'outlineLvl') style.outline = Number(value);
  else if (name === 'numId') style.list = value;
}

export async function readNumbering(
  packed: Package,
  part: string | undefined,
): Promise<(list: string, depth: number) => boolean> {
  const abstracts = new Map<string, Set<number>>();
  const lists = new Map<string, string>();
  let abstract = '';
  let list = '';
  let depth = 0;
  if (part !== undefined)
    await readXml(packed, part, {
      open(name, attribute) {
        const value = attribute('val') ?? '';
        if (name === 'abstractNum') abstract = attribute('abstractNumId') ?? '';
        else if (name === 'num') list = attribute('numId') ?? '';
        else if (name === 'abstractNumId') lists.set(list, value);
        else if (name === 'lvl') depth = Number(attribute('ilvl'));
        else if (name === 'numFmt' && value !== 'bullet' && value !== 'none') {
          const depths = abstracts.get(abstract) ?? new Set();
          abstracts.set(abstract, depths.add(depth));
        }
      },
    });
  return (of, at) => abstracts.get(lists.get(of) ?? '')?.has(at) ?? false;
}
