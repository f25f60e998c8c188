import { fullWidth, type Stage } from '../stage.ts';

import { aurora, comets, lightOf, rainbow, stars } from './lights.ts';

/** The position of the sun or moon, for water and shadows. */
export interface Sky {
  svg: string;
  light: { x: number; y: number; r: number; color: string } | null;
}

export function drawSky(stage: Stage): Sky {
  const { look, frame, defs, brief, random, t } = stage;
  const { height, horizon, u } = frame;
  const [top, middle, low] = look.sky;
  const end = Math.min(height, horizon + 6 * u);
  const fill = defs.linear([0, top], [0.62, middle], [0.97, low]);
  const ground = fullWidth(frame, 0, end, fill);
  let drawn = ground;
  const dark = look.time === 'night' || look.time === 'dusk';
  if (dark || (brief.lights.get('star')?.count ?? 0) > 0) drawn += stars(stage);
  if ((brief.lights.get('aurora')?.count ?? 0) > 0) drawn += aurora(stage);
  const light = lightOf(stage);
  if (light) drawn += light.svg;
  if ((brief.lights.get('rainbow')?.count ?? 0) > 0) drawn += rainbow(stage);
  if ((brief.lights.get('comet')?.count ?? 0) > 0) drawn += comets(stage, random.whole(2, 4), t);
  return { svg: drawn, light: light && { x: light.x, y: light.y, r: light.r, color: light.color } };
}
