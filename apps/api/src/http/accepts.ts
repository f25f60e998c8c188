import type { Request } from 'express';

type Encoding = 'br' | 'gzip';

/** Returns whether a client accepts an encoding of the response. */
export function accepts({ headers }: Pick<Request, 'headers'>, encoding: Encoding): boolean {
  return weightsOf(headers['accept-encoding'])[encoding] > 0;
}

/** Chooses a compression from `Accept-Encoding`. Null: none that is supported. */
export function chooseEncoding(accepted: string | string[] | undefined): Encoding | null {
  const { br, gzip } = weightsOf(accepted);
  if (br > 0 && br >= gzip) return 'br';
  return gzip > 0 ? 'gzip' : null;
}

/** Splits the header, since patterns with several runs of spaces take long on many of them. */
function weightsOf(accepted: string | string[] | undefined): Record<Encoding, number> {
  const weights = new Map<string, number>();
  for (const offer of String(accepted ?? '')
    .toLowerCase()
    .split(',')) {
    const [name = '', ...parameters] = offer.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  const others = weights.get('*') ?? 0;
  return {
    br: weights.get('br') ?? others,
    gzip: weights.get('gzip') ?? weights.get('x-gzip') ?? others,
  };
}
