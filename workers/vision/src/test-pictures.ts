import sharp, { type Sharp } from 'sharp';

/** Draws shapes and colors from a seed. Pictures of different seeds do not look alike. */
export function drawScene(seed: number, side = 512): Sharp {
  let state = seed * 2_654_435_761 + 12_345;
  const next = (below: number) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state % below;
  };
  const colour = () => `hsl(${next(360)} ${40 + next(60)}% ${20 + next(60)}%)`;
  const shapes = Array.from({ length: 12 }, () => {
    const [x, y, size] = [next(side), next(side), 20 + next(side / 3)];
    return next(2) === 0
      ? `<circle cx="${x}" cy="${y}" r="${size / 2}" fill="${colour()}"/>`
      : `<rect x="${x}" y="${y}" width="${size}" height="${20 + next(side / 3)}" fill="${colour()}"/>`;
  });
  const ground = `<rect width="100%" height="100%" fill="${colour()}"/>`;
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">${ground}${shapes.join('')}</svg>`,
    ),
  );
}
