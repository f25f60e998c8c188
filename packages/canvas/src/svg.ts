/** Formats a coordinate; tenths of a pixel are fine enough. */
export function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Formats path data or attributes, with numbers as in `n`. */
export function svg(parts: TemplateStringsArray, ...values: (number | string)[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => (typeof value === 'number' ? n(value) : value)));
}

export function times(count: number, draw: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => draw(index)).join('');
}

export function each<T>(items: readonly T[], draw: (item: T, index: number) => string): string {
  return items.map(draw).join('');
}

/** Gradients and clips by id, without duplicates. */
export class Defs {
  readonly #byText = new Map<string, string>();

  /** Top to bottom. */
  linear(...stops: readonly Stop[]): string {
    return this.#add('linearGradient', 'x1="0" y1="0" x2="0" y2="1"', stopsOf(stops));
  }

  /** Left to right. */
  across(...stops: readonly Stop[]): string {
    return this.#add('linearGradient', 'x1="0" y1="0" x2="1" y2="0"', stopsOf(stops));
  }

  radial(...stops: readonly Stop[]): string {
    return this.radialAt([0.5, 0.5, 0.5], ...stops);
  }

  radialAt([cx, cy, r]: readonly [cx: number, cy: number, r: number], ...stops: readonly Stop[]): string {
    return this.#add('radialGradient', `cx="${cx}" cy="${cy}" r="${r}"`, stopsOf(stops));
  }

  clip(path: string): string {
    return this.#add('clipPath', '', `<path d="${path}"/>`);
  }

  get svg(): string {
    return each([...this.#byText.keys()], (text) => text.replace('>', ` id="${this.#byText.get(text)}">`));
  }

  #add(name: string, attributes: string, content: string): string {
    const text = `<${name} ${attributes}>${content}</${name}>`;
    const id = this.#byText.get(text) ?? `d${this.#byText.size}`;
    this.#byText.set(text, id);
    return `url(#${id})`;
  }
}

type Stop = readonly [at: number, color: string, opacity?: number];

function stopsOf(stops: readonly Stop[]): string {
  return each(stops, ([at, color, opacity]) => {
    const faint = opacity === undefined ? '' : ` stop-opacity="${opacity}"`;
    return `<stop offset="${Math.round(at * 1000) / 1000}" stop-color="${color}"${faint}/>`;
  });
}

// Opacity goes to the fill or stroke, since on an element it would cost a layer.

export function path(d: string, fill: string, more = ''): string {
  return `<path d="${d}" fill="${fill}"${thin(fill, more)}/>`;
}

export function line(d: string, stroke: string, width: number, more = ''): string {
  return svg`<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"${thin('none', more)}/>`;
}

export function circle(x: number, y: number, r: number, fill: string, more = ''): string {
  return svg`<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}"${halo(fill, more)}${thin(fill, more)}/>`;
}

export function ellipse(x: number, y: number, rx: number, ry: number, fill: string, more = ''): string {
  return svg`<ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${ry}" fill="${fill}"${thin(fill, more)}/>`;
}

export function rect(x: number, y: number, width: number, height: number, fill: string, more = ''): string {
  return svg`<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"${thin(fill, more)}/>`;
}

function thin(fill: string, more: string): string {
  return more === '' ? '' : ` ${more.replace('opacity=', fill === 'none' ? 'stroke-opacity=' : 'fill-opacity=')}`;
}

/** A glow has no outline in any style. */
function halo(fill: string, more: string): string {
  return fill.startsWith('url(') && !more.includes('stroke') ? ' stroke="none"' : '';
}

export function group(content: string, transform: string, more = ''): string {
  return content === '' ? '' : `<g transform="${transform}"${more && ` ${more}`}>${content}</g>`;
}

export const faint = (opacity: number) => `opacity="${Math.round(opacity * 1000) / 1000}"`;
