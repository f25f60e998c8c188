import { drawAbstract } from './backdrop/abstract.ts';
import { drawBirds, drawClouds } from './backdrop/clouds.ts';
import { drawDunes, drawIsland, drawPeaks, drawRidges, drawVolcano } from './backdrop/heights.ts';
import { drawRoom, drawUnderwater } from './backdrop/indoors.ts';
import { drawClearing, drawForest, drawHills, drawTufts } from './backdrop/land.ts';
import { drawSky, type Sky } from './backdrop/sky.ts';
import { drawMoonGround, drawSpace } from './backdrop/space.ts';
import { drawQuay, drawSkyline, drawStreet, drawVillage } from './backdrop/town.ts';
import { drawBeach, drawWater, drawWinding } from './backdrop/water.ts';
import { drawFalling, drawLightning, drawMist } from './backdrop/weather.ts';
import { drawThing } from './draw-thing.ts';
import { drawFinish, drawGrid } from './finish.ts';
import { drawableText, lettering, onSign } from './lettering.ts';
import { placeThings } from './place.ts';
import type { Setting } from './setting.ts';
import { fullWidth, type Layer, type Stage } from './stage.ts';
import { rect } from './svg.ts';

/**
 * Draws all layers from far to near.
 *
 * @param only draws only objects and weather, to be shown over another picture
 */
export function drawScene(stage: Stage, setting: Setting, only = false): Layer[] {
  stage.frame.horizon = stage.frame.height * setting.horizon;
  const layers: Layer[] = [];
  const add = (distance: number, svg: string) => {
    if (svg !== '') layers.push({ distance, svg });
  };
  if (!only) drawWorld(stage, setting, add);
  addThings(stage, setting, add);
  const { brief } = stage;
  if (setting.world === 'outdoors') {
    if (setting.places.has('forest') && !brief.styles.has('minimal') && !only) add(0.02, drawClearing(stage));
    add(0, drawLightning(stage) + drawFalling(stage));
  }
  if (!only) add(0, drawFinish(stage));
  return layers;
}

type Add = (distance: number, svg: string) => void;

function drawWorld(stage: Stage, setting: Setting, add: Add): void {
  switch (setting.world) {
    case 'outdoors':
      drawOutdoors(stage, setting, add);
      break;
    case 'space':
      add(0.9, drawSpace(stage));
      if (
        stage.brief.things.some(
          ({ count, position, kind }) => count >= 0 && position !== 'aloft' && kind !== 'rocket' && kind !== 'ufo',
        )
      )
        add(0.35, drawMoonGround(stage));
      break;
    case 'underwater':
      add(0.6, drawUnderwater(stage));
      break;
    case 'room': {
      const { svg, board } = drawRoom(stage);
      stage.frame.horizon = board;
      add(0.4, svg);
      break;
    }
    case 'abstract':
      add(0.5, drawAbstract(stage));
      break;
    default:
      setting.world satisfies never;
  }
}

function drawOutdoors(stage: Stage, setting: Setting, add: Add): void {
  const { brief, frame, look } = stage;
  const { height, horizon } = frame;
  const { places, water } = setting;
  const plain = brief.styles.has('minimal');
  const heavens = drawSky(stage);
  add(0.97, heavens.svg);
  add(
    0.88,
    drawClouds(stage) +
      (look.time !== 'night' &&
      !plain &&
      !brief.weathers.has('storm') &&
      stage.random.fork('birds').chance(0.4) &&
      !brief.things.some(({ kind, count }) => kind === 'bird' && count >= 0)
        ? drawBirds(stage)
        : ''),
  );
  const behind = drawBehind(stage, setting);
  // Covers the sky below the horizon.
  add(0.6, fullWidth(frame, horizon, height - horizon, look.ink('#6d7f78', 0.55)));
  add(0.62, behind);
  add(0.55, drawMist(stage, horizon));
  drawGround(stage, setting, heavens, behind, add);
  if (water === null || water.to < 0.95) {
    const top = horizon + (height - horizon) * Math.max(0.55, (water?.to ?? 0) + 0.14);
    if (!plain && !brief.styles.has('neon') && !places.has('city') && !places.has('street') && !places.has('beach'))
      add(0.1, drawTufts(stage, top));
  }
}

function drawBehind(stage: Stage, { places }: Setting): string {
  let drawn = '';
  if (places.has('volcano')) drawn += drawVolcano(stage);
  else if (places.has('mountain') || places.has('waterfall')) drawn += drawPeaks(stage);
  else if (!places.has('street') && !(places.has('sea') && !places.has('city')))
    drawn += drawRidges(stage, places.has('desert') ? 1 : 2, places.has('snow') ? 0.42 : 0.26);
  if (places.has('city')) drawn += drawSkyline(stage);
  if (places.has('forest')) drawn += drawForest(stage);
  if (places.has('village')) drawn += drawVillage(stage);
  return drawn;
}

function drawGround(stage: Stage, { places, water }: Setting, heavens: Sky, behind: string, add: Add): void {
  const { brief, frame } = stage;
  const { height, horizon } = frame;
  const ground = height - horizon;
  if (brief.styles.has('neon') && !water && !places.has('city') && !places.has('street')) {
    add(0.3, drawGrid(stage));
    return;
  }
  if (water) {
    const [top, bottom] = [horizon + water.from * ground, horizon + water.to * ground];
    const city = places.has('city');
    if (water.from > 0 && !city) add(0.5, drawHills(stage, 2));
    const color = brief.places.get('sea') ?? brief.places.get('lake') ?? brief.places.get('beach') ?? null;
    add(
      0.42,
      drawWater(stage, heavens, top, Math.min(height, bottom + 12 * frame.u), water.from > 0.2 ? '' : behind, color),
    );
    if (places.has('waterfall')) add(0.4, drawFall(stage, top));
    if (places.has('island')) add(0.38, drawIsland(stage));
    add(0.3, drawMist(stage, top + 0.2 * ground, 0.6));
    if (places.has('beach')) add(0.2, drawBeach(stage, bottom));
    else if (city && water.to < 0.95) add(0.2, drawQuay(stage, bottom));
    else if (water.to < 0.95) add(0.2, drawHills(stage, 2, bottom - 0.03 * ground));
    return;
  }
  if (places.has('street')) add(0.35, drawStreet(stage));
  else if (places.has('desert')) add(0.3, drawDunes(stage));
  else if (places.has('city') && !places.has('meadow'))
    add(
      0.3,
      rect(
        -frame.margin,
        horizon + 2 * frame.u,
        frame.width + 2 * frame.margin,
        ground,
        stage.defs.linear([0, stage.look.ink('#6f7480', 0.3)], [1, stage.look.ink('#4a4d57', 0)]),
      ),
    );
  else add(0.3, drawHills(stage, places.has('snow') ? 3 : 4));
  if (places.has('river'))
    add(0.22, drawWinding(stage, horizon + 0.06 * ground, 'river', brief.places.get('river') ?? null));
  const wheels = brief.things.some(
    ({ kind, count }) => count >= 0 && ['car', 'bus', 'truck', 'bicycle'].includes(kind),
  );
  if (places.has('road') || (places.has('city') && wheels))
    add(
      0.2,
      drawWinding(
        stage,
        horizon + 0.05 * ground,
        /path|trail|lane|walkway/.test([...brief.unknown].join(' ')) ? 'path' : 'road',
        brief.places.get('road') ?? null,
      ),
    );
}

function drawFall({ frame, random: parent, t }: Stage, top: number): string {
  const random = parent.fork('fall');
  const { width, horizon, u } = frame;
  const [x, w] = [width * random.between(0.44, 0.56), 9 * u];
  const high = horizon * 0.5;
  let drawn = `<path d="M${x - w * 0.4} ${high}Q${x} ${high - 2 * u} ${x + w * 0.4} ${high}L${x + w * 0.62} ${top + u}H${x - w * 0.62}Z" fill="#eaf6fb" opacity="0.95"/>`;
  for (let strand = 0; strand < 12; strand += 1) {
    const at = (strand + random.next()) / 12 - 0.5;
    const drop = ((random.next() + t * 0.9) % 1) * (top - high);
    drawn += `<path d="M${x + at * w * 0.8} ${high + drop * 0.8}L${x + at * w} ${Math.min(top, high + drop * 0.8 + 12 * u)}" stroke="#9cc9de" stroke-width="${0.4 * u}" stroke-linecap="round" opacity="0.8"/>`;
  }
  for (let puff = 0; puff < 9; puff += 1)
    drawn += `<ellipse cx="${x + random.between(-1, 1) * w}" cy="${top + random.between(-1, 1.5) * u}" rx="${random.between(2, 5) * u}" ry="${random.between(0.8, 2) * u}" fill="#ffffff" opacity="${0.35 + 0.2 * Math.sin(t * 3 + puff)}"/>`;
  return drawn;
}

function addThings(stage: Stage, setting: Setting, add: Add): void {
  const { brief } = stage;
  const texts = brief.lettering.map(drawableText).filter((text) => text !== '');
  const unsigned = [...texts];
  for (const placed of placeThings(stage, setting)) {
    const own = placed.thing.kind === 'sign' ? unsigned.shift() : undefined;
    const svg = drawThing(stage, setting, placed) + (own === undefined ? '' : onSign(placed, own, stage));
    add(placed.zone === 'air' ? 0.5 : Math.min(0.5, placed.distance * 0.7), svg);
  }
  if (unsigned.length > 0) add(0.04, lettering(stage, setting, unsigned));
}
