import { lighten, mix } from '../color.ts';
import { blob } from '../geometry.ts';
import { fullWidth, type Stage } from '../stage.ts';
import { circle, ellipse, faint, line, path, rect, svg } from '../svg.ts';

export function drawUnderwater(stage: Stage): string {
  const { frame, random: parent, look, brief, defs, t } = stage;
  const random = parent.fork('deep');
  const { width, height, margin, u } = frame;
  const own = brief.places.get('underwater') ?? brief.places.get('sea') ?? '#1f8fb3';
  const [light, deep] = [look.glow(lighten(own, 0.42)), look.glow(lighten(own, -0.62))];
  let drawn = fullWidth(frame, 0, height, defs.linear([0, light], [0.4, look.glow(own)], [1, deep]));
  for (let ray = 0; ray < 7; ray += 1) {
    const [x, w] = [width * ((ray + random.next()) / 7), random.between(3, 10) * u];
    const lean = look.side * -18 * u + Math.sin(t * 0.5 + ray) * 3 * u;
    const shine = defs.linear([0, '#ffffff', 0.34], [1, '#ffffff', 0]);
    drawn += path(
      svg`M${x} 0h${w}L${x + w * 2.6 + lean} ${height * 0.8}h${-w * 3}Z`,
      shine,
      faint(0.5 + 0.2 * Math.sin(t * 0.8 + ray * 2)),
    );
  }
  for (let row = 0; row < 2; row += 1) {
    const color = mix(look.glow('#2a6a78'), deep, 0.3 + row * 0.35);
    let d = svg`M${-margin} ${height}`;
    for (let step = 0; step <= 10; step += 1)
      d += svg`L${-margin + ((width + 2 * margin) * step) / 10} ${height * (0.72 + row * 0.1) - random.between(0, 12) * u}`;
    drawn += path(svg`${d}L${width + margin} ${height}Z`, color, faint(0.75));
  }
  const sand = look.glow('#d9c08c');
  drawn += path(
    svg`M${-margin} ${height * 0.9}Q${width * 0.3} ${height * 0.86} ${width * 0.6} ${height * 0.9}T${width + margin} ${height * 0.88}V${height}H${-margin}Z`,
    mix(sand, deep, 0.3),
  );
  const hues = ['#e8627a', '#f2a03d', '#b45fc9', '#f3d35c', '#e0485a'];
  for (let coral = 0; coral < 9; coral += 1) {
    const [x, y, size] = [
      random.between(-0.03, 1.03) * width,
      height * random.between(0.88, 0.98),
      random.between(4, 9) * u,
    ];
    const color = mix(look.glow(random.pick(hues)), deep, 0.16);
    if (random.chance(0.5)) {
      for (let arm = 0; arm < 5; arm += 1) {
        const lean = (arm - 2) * size * 0.34;
        drawn += line(
          svg`M${x} ${y}q${lean * 0.2} ${-size * 0.6} ${lean} ${-size * random.between(0.9, 1.35)}`,
          color,
          size * 0.16,
        );
      }
    } else
      drawn +=
        path(blob(random, [x, y - size * 0.3], size * 0.75, size * 0.62, 0.16, 11), color) +
        path(blob(random, [x - size * 0.15, y - size * 0.45], size * 0.4, size * 0.3, 0.2, 9), lighten(color, 0.2));
  }
  for (let weed = 0; weed < 14; weed += 1) {
    const [x, tall] = [random.between(-0.02, 1.02) * width, random.between(10, 26) * u];
    const bend = Math.sin(t * 1.1 + weed) * 2.4 * u;
    drawn += line(
      svg`M${x} ${height}q${2 * u + bend * 0.4} ${-tall * 0.3} 0 ${-tall * 0.5}t${bend} ${-tall * 0.5}`,
      mix(look.glow('#2f8f57'), deep, random.between(0.1, 0.45)),
      random.between(0.5, 1.1) * u,
    );
  }
  for (let bubble = 0; bubble < 26; bubble += 1) {
    const [x, speed, r] = [random.between(0, width), random.between(3, 7) * u, random.between(0.3, 1.1) * u];
    const y = (((random.next() * height - t * speed) % height) + height) % height;
    drawn +=
      circle(x + Math.sin(t * 2 + bubble) * u, y, r, '#ffffff', faint(0.28)) +
      circle(x - r * 0.3, y - r * 0.3, r * 0.3, '#ffffff', faint(0.6));
  }
  return drawn;
}

/** Draws a wall, a window that shows the time of day, and a board for objects. Returns the board's top. */
export function drawRoom(stage: Stage): { svg: string; board: number } {
  const { frame, random: parent, look, brief, defs, t } = stage;
  const random = parent.fork('room');
  const { width, height, margin, u } = frame;
  const own = brief.places.get('room');
  const wall = look.ink(own ?? random.pick(['#d9c9b2', '#b9c4bd', '#c9b3a6', '#aab7c4', '#d8c5a0', '#9fae9f']), 0);
  const board = height * 0.68;
  const wood = look.ink(random.pick(['#a46e43', '#8a5a3b', '#b98457', '#7b5a4a']), 0);
  let drawn = fullWidth(frame, 0, height, defs.linear([0, lighten(wall, 0.08)], [1, lighten(wall, -0.16)]));
  if (random.chance(0.5)) {
    for (let x = -margin; x < width + margin; x += 9 * u)
      drawn += rect(x, 0, 3.2 * u, board, lighten(wall, 0.07), faint(0.5));
  } else
    drawn +=
      fullWidth(frame, board - 15 * u, 15 * u, lighten(wall, -0.1)) +
      fullWidth(frame, board - 15.6 * u, 0.9 * u, lighten(wall, 0.22));
  const [wx, wy, ww, wh] = [
    width * (0.5 + look.side * 0.26) - 17 * u,
    height * 0.1,
    34 * u,
    board - height * 0.1 - 18 * u,
  ];
  const frameColor = look.ink('#f3ece0', 0);
  drawn += rect(wx - 1.6 * u, wy - 1.6 * u, ww + 3.2 * u, wh + 3.2 * u, frameColor);
  drawn += rect(wx, wy, ww, wh, defs.linear([0, look.sky[0]], [0.6, look.sky[1]], [1, look.sky[2]]));
  if (look.night)
    for (let star = 0; star < 14; star += 1)
      drawn += circle(
        wx + random.next() * ww,
        wy + random.next() * wh * 0.7,
        0.25 * u,
        '#fffbe8',
        faint(0.6 + 0.4 * Math.sin(t * 2 + star)),
      );
  else drawn += circle(wx + ww * 0.68, wy + wh * 0.34, 3.4 * u, lighten(look.sun, 0.3), faint(0.9));
  drawn += path(
    svg`M${wx} ${wy + wh}V${wy + wh * 0.78}q${ww * 0.25} ${-wh * 0.16} ${ww * 0.5} ${-wh * 0.02}t${ww * 0.5} ${-wh * 0.05}V${wy + wh}Z`,
    look.ink('#5f8a5c', 0.45),
  );
  drawn +=
    rect(wx + ww / 2 - 0.6 * u, wy, 1.2 * u, wh, frameColor) +
    rect(wx, wy + wh * 0.44, ww, 1.1 * u, frameColor) +
    rect(wx - 2.6 * u, wy + wh + 1.2 * u, ww + 5.2 * u, 1.8 * u, lighten(frameColor, -0.08));
  // Light from the window on the wall and the board.
  const beam = defs.linear([0, look.sun, 0.32], [1, look.sun, 0]);
  if (!look.night)
    drawn += path(
      svg`M${wx} ${wy + wh}H${wx + ww}L${wx + ww - look.side * 34 * u} ${height}H${wx - look.side * 40 * u}Z`,
      beam,
    );
  for (const sign of [-1, 1]) {
    const cx = sign < 0 ? wx - 2 * u : wx + ww + 2 * u;
    const cloth = look.ink(look.accents[0] as string, 0);
    const sway = Math.sin(t * 0.9) * 0.5 * u;
    drawn += path(
      svg`M${cx - sign * 5 * u} ${wy - 3 * u}H${cx + sign * 3 * u}Q${cx + sign * 2 * u} ${wy + wh * 0.6} ${cx + sign * 3.4 * u + sway} ${wy + wh + 5 * u}H${cx - sign * 1.4 * u + sway}Q${cx - sign * 6 * u} ${wy + wh * 0.5} ${cx - sign * 5 * u} ${wy - 3 * u}Z`,
      lighten(cloth, 0.12),
      faint(0.94),
    );
  }
  drawn += line(svg`M${wx - 9 * u} ${wy - 3.2 * u}H${wx + ww + 9 * u}`, lighten(wood, -0.2), 0.9 * u);
  drawn += fullWidth(
    frame,
    board,
    height - board,
    defs.linear([0, lighten(wood, 0.16)], [0.2, wood], [1, lighten(wood, -0.3)]),
  );
  for (let grain = 0; grain < 16; grain += 1) {
    const y = board + 1.5 * u + random.next() * (height - board);
    const x = random.between(-margin, width);
    drawn += line(
      svg`M${x} ${y}q${12 * u} ${random.between(-0.8, 0.8) * u} ${26 * u} 0`,
      lighten(wood, -0.25),
      0.2 * u,
      faint(0.5),
    );
  }
  drawn +=
    fullWidth(frame, board, 0.7 * u, lighten(wood, 0.42), faint(0.7)) +
    ellipse(width / 2, height * 1.02, width * 0.7, 10 * u, '#000000', faint(0.12));
  return { svg: drawn, board };
}
