import { lighten } from '../color.ts';
import { star } from '../geometry.ts';
import { circle, ellipse, faint, line, path, rect, svg, times } from '../svg.ts';
import { type DrawThing, tones } from './pencil.ts';

const circleShape: DrawThing = ({ ink, color, random, accents, word }) => {
  const fill = tones(ink(color ?? random.pick(accents)));
  return word === 'ring'
    ? circle(0, -50, 42, 'none', `stroke="${fill.base}" stroke-width="13"`)
    : word === 'bubble'
      ? circle(0, -50, 48, fill.lit, faint(0.35)) +
        circle(0, -50, 48, 'none', `stroke="${fill.lit}" stroke-width="2"`) +
        ellipse(-16, -70, 12, 7, '#ffffff', `transform="rotate(-36 -16 -70)" ${faint(0.8)}`)
      : circle(0, -50, 50, fill.base);
};

const square: DrawThing = ({ ink, color, random, accents, word }) =>
  rect(
    word === 'rectangle' ? -75 : -50,
    -100,
    word === 'rectangle' ? 150 : 100,
    100,
    ink(color ?? random.pick(accents)),
  );

const triangle: DrawThing = ({ ink, color, random, accents }) =>
  path('M0 -100L58 0H-58Z', ink(color ?? random.pick(accents)));

const cube: DrawThing = ({ ink, color, random, accents }) => {
  const fill = tones(ink(color ?? random.pick(accents)));
  return (
    path('M-48 -74L0 -48V0L-48 -26Z', fill.base) +
    path('M48 -74L0 -48V0L48 -26Z', fill.shade) +
    path('M-48 -74L0 -100L48 -74L0 -48Z', fill.lit)
  );
};

const sphere: DrawThing = ({ ink, color, random, accents, light }) => {
  const fill = tones(ink(color ?? random.pick(accents)));
  return (
    ellipse(0, 0, 42, 5, '#1b1622', faint(0.22)) +
    circle(0, -50, 50, fill.shade) +
    circle(light * 5, -55, 43, fill.base) +
    circle(light * 12, -64, 28, fill.lit, faint(0.8)) +
    circle(light * 17, -71, 12, '#ffffff', faint(0.5))
  );
};

const spiral: DrawThing = ({ ink, color, random, accents, t }) => {
  const points = Array.from({ length: 90 }, (_, index) => {
    const [angle, r] = [index * 0.22 + t * 0.6, index * 0.54];
    return svg`${Math.cos(angle) * r} ${-50 + Math.sin(angle) * r}`;
  });
  return line(`M${points.join('L')}`, ink(color ?? random.pick(accents)), 5);
};

const wave: DrawThing = ({ ink, color, random, accents, t }) =>
  times(4, (row) =>
    line(
      svg`M-70 ${-16 - row * 22}q17 ${-16 + Math.sin(t * 2 + row) * 4} 35 0t35 0t35 0t35 0`,
      ink(color ?? (accents[row % accents.length] as string)),
      7 - random.next(),
    ),
  );

const stripe: DrawThing = ({ ink, color, accents, word }) =>
  times(4, (row) =>
    word === 'line'
      ? line(`M-70 ${-20 - row * 22}H70`, ink(color ?? (accents[row % accents.length] as string)), 4)
      : rect(-70, -96 + row * 25, 140, 12, ink(color ?? (accents[row % accents.length] as string))),
  );

const diamond: DrawThing = ({ ink, color, random, accents, word }) => {
  const fill = tones(ink(color ?? random.pick([...accents, '#7fd4e8'])));
  if (/hexagon|pentagon/.test(word))
    return path(
      star([0, -50], 50, 50 * Math.cos(Math.PI / (word === 'hexagon' ? 6 : 5)), word === 'hexagon' ? 6 : 5),
      fill.base,
    );
  return (
    path('M-50 -68L-28 -96H28L50 -68L0 0Z', fill.base) +
    path('M-50 -68H-18L0 0Z', fill.shade) +
    path('M50 -68H18L0 0Z', fill.dark) +
    path('M-28 -96L-18 -68L0 -96ZM28 -96L18 -68L0 -96Z', fill.lit) +
    path('M-18 -68H18L0 -96Z', lighten(fill.lit, 0.4))
  );
};

export const SHAPES = {
  circle: circleShape,
  square,
  triangle,
  cube,
  sphere,
  spiral,
  wave,
  line: stripe,
  diamond,
};
