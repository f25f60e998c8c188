import type { Brief } from './brief.ts';
import { n } from './geometry.ts';
import type { Look } from './look.ts';
import type { Random } from './random.ts';

/** Where is what, in pixels. */
export interface Frame {
  width: number;
  /** Of the picture, without the strip below it that has the title. */
  height: number;
  horizon: number;
  /** A hundredth of the shorter side. */
  u: number;
  /** So far beyond its left and right edges everything is drawn, so that a camera can move. */
  over: number;
}

/** What is drawn at one distance: a camera that moves shifts near ones more. */
export interface Layer {
  /** 0: right before the camera; 1: infinitely far. */
  distance: number;
  svg: string;
}

/** All that drawing needs. */
export interface Stage {
  brief: Brief;
  look: Look;
  frame: Frame;
  random: Random;
  /** Seconds since the beginning; a picture is at 0. */
  t: number;
  defs: Defs;
}

/** Gradients and clips by their numbers; the same twice is one. */
export class Defs {
  readonly #byText = new Map<string, string>();

  /** Stops: colour, and opacity where it is not 1. From top to bottom, unless `horizontal`. */
  linear(stops: readonly (readonly [at: number, color: string, opacity?: number])[], horizontal = false): string {
    const to = horizontal ? 'x2="1" y2="0"' : 'x2="0" y2="1"';
    return this.#add('linearGradient', `x1="0" y1="0" ${to}`, stopsOf(stops));
  }

  radial(
    stops: readonly (readonly [at: number, color: string, opacity?: number])[],
    cx = 0.5,
    cy = 0.5,
    r = 0.5,
  ): string {
    return this.#add('radialGradient', `cx="${cx}" cy="${cy}" r="${r}"`, stopsOf(stops));
  }

  clip(path: string): string {
    return this.#add('clipPath', '', `<path d="${path}"/>`);
  }

  get svg(): string {
    return [...this.#byText.keys()].map((text) => text.replace('>', ` id="${this.#byText.get(text)}">`)).join('');
  }

  #add(name: string, attributes: string, content: string): string {
    const text = `<${name} ${attributes}>${content}</${name}>`;
    const id = this.#byText.get(text) ?? `d${this.#byText.size}`;
    this.#byText.set(text, id);
    return `url(#${id})`;
  }
}

function stopsOf(stops: readonly (readonly [at: number, color: string, opacity?: number])[]): string {
  return stops
    .map(([at, color, opacity]) => {
      const faint = opacity === undefined ? '' : ` stop-opacity="${opacity}"`;
      return `<stop offset="${Math.round(at * 1000) / 1000}" stop-color="${color}"${faint}/>`;
    })
    .join('');
}

// The few elements that everything is drawn with. Faint ones are painted thinly: an opacity of the element itself would cost a layer of its own.

export function path(d: string, fill: string, more = ''): string {
  return `<path d="${d}" fill="${fill}"${thin(fill, more)}/>`;
}

export function line(d: string, stroke: string, width: number, more = ''): string {
  return `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${n(width)}" stroke-linecap="round" stroke-linejoin="round"${thin('none', more)}/>`;
}

export function circle(x: number, y: number, r: number, fill: string, more = ''): string {
  return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="${fill}"${halo(fill, more)}${thin(fill, more)}/>`;
}

export function ellipse(x: number, y: number, rx: number, ry: number, fill: string, more = ''): string {
  return `<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(rx)}" ry="${n(ry)}" fill="${fill}"${thin(fill, more)}/>`;
}

export function rect(x: number, y: number, width: number, height: number, fill: string, more = ''): string {
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" fill="${fill}"${thin(fill, more)}/>`;
}

function thin(fill: string, more: string): string {
  return more === '' ? '' : ` ${more.replace('opacity=', fill === 'none' ? 'stroke-opacity=' : 'fill-opacity=')}`;
}

/** A glow has no outline, whatever the style. */
function halo(fill: string, more: string): string {
  return fill.startsWith('url(') && !more.includes('stroke') ? ' stroke="none"' : '';
}

export function group(content: string, transform: string, more = ''): string {
  return content === '' ? '' : `<g transform="${transform}"${more && ` ${more}`}>${content}</g>`;
}

export const faint = (opacity: number) => `opacity="${Math.round(opacity * 1000) / 1000}"`;
