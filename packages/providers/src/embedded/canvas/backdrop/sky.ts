import { rect, type Stage } from '../stage.ts';

import { aurora, comets, lightOf, rainbow, stars } from './lights.ts';

/** Where the sun or the moon stands; water and shadows ask. */
export interface Heavens {
  svg: string;
  /** The brightest light, null where none is seen. */
  light: { x: number; y: number; r: number; color: string } | null;
}

/** The sky and all that shines in it. */
export function drawSky(stage: Stage): Heavens {
  const { look, frame, defs, brief, random, t } = stage;
  const { width, height, horizon, over, u } = frame;
  const [top, middle, low] = look.sky;
  const end = Math.min(height, horizon + 6 * u);
  const fill = defs.linear([
    [0, top],
    [0.62, middle],
    [0.97, low],
  ]);
  const ground = rect(-over, 0, width + 2 * over, end, fill);
  const parts = [ground];
  const dark = look.time === 'night' || look.time === 'dusk';
  if (dark || (brief.lights.get('star')?.count ?? 0) > 0) parts.push(stars(stage));
  if ((brief.lights.get('aurora')?.count ?? 0) > 0) parts.push(aurora(stage));
  const light = lightOf(stage);
  if (light) parts.push(light.svg);
  if ((brief.lights.get('rainbow')?.count ?? 0) > 0) parts.push(rainbow(stage));
  if ((brief.lights.get('comet')?.count ?? 0) > 0) parts.push(comets(stage, random.whole(2, 4), t));
  return { svg: parts.join(''), light: light && { x: light.x, y: light.y, r: light.r, color: light.color } };
}
