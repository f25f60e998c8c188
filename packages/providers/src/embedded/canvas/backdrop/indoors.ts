import { lighter, mix } from '../color.ts';
import { blob, n } from '../geometry.ts';
import { circle, ellipse, faint, line, path, rect, type Stage } from '../stage.ts';

/** Under water: light from above, weed and corals below. */
export function drawUnderwater(stage: Stage): string {
  const { frame, random: parent, look, brief, defs, t } = stage;
  const random = parent.fork('deep');
  const { width, height, over, u } = frame;
  const own = brief.places.get('underwater') ?? brief.places.get('sea') ?? '#1f8fb3';
  const [light, deep] = [look.glow(lighter(own, 0.42)), look.glow(lighter(own, -0.62))];
  const parts = [
    rect(
      -over,
      0,
      width + 2 * over,
      height,
      defs.linear([
        [0, light],
        [0.4, look.glow(own)],
        [1, deep],
      ]),
    ),
  ];
  for (let ray = 0; ray < 7; ray += 1) {
    const [x, w] = [width * ((ray + random.next()) / 7), random.between(3, 10) * u];
    const lean = look.side * -18 * u + Math.sin(t * 0.5 + ray) * 3 * u;
    const shine = defs.linear([
      [0, '#ffffff', 0.34],
      [1, '#ffffff', 0],
    ]);
    parts.push(
      path(
        `M${n(x)} 0h${n(w)}L${n(x + w * 2.6 + lean)} ${n(height * 0.8)}h${n(-w * 3)}Z`,
        shine,
        faint(0.5 + 0.2 * Math.sin(t * 0.8 + ray * 2)),
      ),
    );
  }
  for (let row = 0; row < 2; row += 1) {
    const color = mix(look.glow('#2a6a78'), deep, 0.3 + row * 0.35);
    let d = `M${n(-over)} ${n(height)}`;
    for (let step = 0; step <= 10; step += 1)
      d += `L${n(-over + ((width + 2 * over) * step) / 10)} ${n(height * (0.72 + row * 0.1) - random.between(0, 12) * u)}`;
    parts.push(path(`${d}L${n(width + over)} ${n(height)}Z`, color, faint(0.75)));
  }
  const sand = look.glow('#d9c08c');
  parts.push(
    path(
      `M${n(-over)} ${n(height * 0.9)}Q${n(width * 0.3)} ${n(height * 0.86)} ${n(width * 0.6)} ${n(height * 0.9)}T${n(width + over)} ${n(height * 0.88)}V${n(height)}H${n(-over)}Z`,
      mix(sand, deep, 0.3),
    ),
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
        parts.push(
          line(
            `M${n(x)} ${n(y)}q${n(lean * 0.2)} ${n(-size * 0.6)} ${n(lean)} ${n(-size * random.between(0.9, 1.35))}`,
            color,
            size * 0.16,
          ),
        );
      }
    } else
      parts.push(
        path(blob(random, [x, y - size * 0.3], size * 0.75, size * 0.62, 0.16, 11), color),
        path(blob(random, [x - size * 0.15, y - size * 0.45], size * 0.4, size * 0.3, 0.2, 9), lighter(color, 0.2)),
      );
  }
  for (let weed = 0; weed < 14; weed += 1) {
    const [x, tall] = [random.between(-0.02, 1.02) * width, random.between(10, 26) * u];
    const bend = Math.sin(t * 1.1 + weed) * 2.4 * u;
    parts.push(
      line(
        `M${n(x)} ${n(height)}q${n(2 * u + bend * 0.4)} ${n(-tall * 0.3)} 0 ${n(-tall * 0.5)}t${n(bend)} ${n(-tall * 0.5)}`,
        mix(look.glow('#2f8f57'), deep, random.between(0.1, 0.45)),
        random.between(0.5, 1.1) * u,
      ),
    );
  }
  for (let bubble = 0; bubble < 26; bubble += 1) {
    const [x, speed, r] = [random.between(0, width), random.between(3, 7) * u, random.between(0.3, 1.1) * u];
    const y = (((random.next() * height - t * speed) % height) + height) % height;
    parts.push(
      circle(x + Math.sin(t * 2 + bubble) * u, y, r, '#ffffff', faint(0.28)),
      circle(x - r * 0.3, y - r * 0.3, r * 0.3, '#ffffff', faint(0.6)),
    );
  }
  return parts.join('');
}

/** A room: a wall, a window that shows the hour, and the board that things stand on. Answers where its top is. */
export function drawRoom(stage: Stage): { svg: string; board: number } {
  const { frame, random: parent, look, brief, defs, t } = stage;
  const random = parent.fork('room');
  const { width, height, over, u } = frame;
  const own = brief.places.get('room');
  const wall = look.ink(own ?? random.pick(['#d9c9b2', '#b9c4bd', '#c9b3a6', '#aab7c4', '#d8c5a0', '#9fae9f']), 0);
  const board = height * 0.68;
  const wood = look.ink(random.pick(['#a46e43', '#8a5a3b', '#b98457', '#7b5a4a']), 0);
  const parts = [
    rect(
      -over,
      0,
      width + 2 * over,
      height,
      defs.linear([
        [0, lighter(wall, 0.08)],
        [1, lighter(wall, -0.16)],
      ]),
    ),
  ];
  if (random.chance(0.5)) {
    for (let x = -over; x < width + over; x += 9 * u)
      parts.push(rect(x, 0, 3.2 * u, board, lighter(wall, 0.07), faint(0.5)));
  } else
    parts.push(
      rect(-over, board - 15 * u, width + 2 * over, 15 * u, lighter(wall, -0.1)),
      rect(-over, board - 15.6 * u, width + 2 * over, 0.9 * u, lighter(wall, 0.22)),
    );
  const [wx, wy, ww, wh] = [
    width * (0.5 + look.side * 0.26) - 17 * u,
    height * 0.1,
    34 * u,
    board - height * 0.1 - 18 * u,
  ];
  const frameColor = look.ink('#f3ece0', 0);
  parts.push(rect(wx - 1.6 * u, wy - 1.6 * u, ww + 3.2 * u, wh + 3.2 * u, frameColor));
  parts.push(
    rect(
      wx,
      wy,
      ww,
      wh,
      defs.linear([
        [0, look.sky[0]],
        [0.6, look.sky[1]],
        [1, look.sky[2]],
      ]),
    ),
  );
  if (look.night)
    for (let star = 0; star < 14; star += 1)
      parts.push(
        circle(
          wx + random.next() * ww,
          wy + random.next() * wh * 0.7,
          0.25 * u,
          '#fffbe8',
          faint(0.6 + 0.4 * Math.sin(t * 2 + star)),
        ),
      );
  else parts.push(circle(wx + ww * 0.68, wy + wh * 0.34, 3.4 * u, lighter(look.sun, 0.3), faint(0.9)));
  parts.push(
    path(
      `M${n(wx)} ${n(wy + wh)}V${n(wy + wh * 0.78)}q${n(ww * 0.25)} ${n(-wh * 0.16)} ${n(ww * 0.5)} ${n(-wh * 0.02)}t${n(ww * 0.5)} ${n(-wh * 0.05)}V${n(wy + wh)}Z`,
      look.ink('#5f8a5c', 0.45),
    ),
  );
  parts.push(
    rect(wx + ww / 2 - 0.6 * u, wy, 1.2 * u, wh, frameColor),
    rect(wx, wy + wh * 0.44, ww, 1.1 * u, frameColor),
    rect(wx - 2.6 * u, wy + wh + 1.2 * u, ww + 5.2 * u, 1.8 * u, lighter(frameColor, -0.08)),
  );
  // Its light on the wall and on the board.
  const beam = defs.linear([
    [0, look.sun, 0.32],
    [1, look.sun, 0],
  ]);
  if (!look.night)
    parts.push(
      path(
        `M${n(wx)} ${n(wy + wh)}H${n(wx + ww)}L${n(wx + ww - look.side * 34 * u)} ${n(height)}H${n(wx - look.side * 40 * u)}Z`,
        beam,
      ),
    );
  for (const sign of [-1, 1]) {
    const cx = sign < 0 ? wx - 2 * u : wx + ww + 2 * u;
    const cloth = look.ink(look.accents[0] as string, 0);
    const sway = Math.sin(t * 0.9) * 0.5 * u;
    parts.push(
      path(
        `M${n(cx - sign * 5 * u)} ${n(wy - 3 * u)}H${n(cx + sign * 3 * u)}Q${n(cx + sign * 2 * u)} ${n(wy + wh * 0.6)} ${n(cx + sign * 3.4 * u + sway)} ${n(wy + wh + 5 * u)}H${n(cx - sign * 1.4 * u + sway)}Q${n(cx - sign * 6 * u)} ${n(wy + wh * 0.5)} ${n(cx - sign * 5 * u)} ${n(wy - 3 * u)}Z`,
        lighter(cloth, 0.12),
        faint(0.94),
      ),
    );
  }
  parts.push(line(`M${n(wx - 9 * u)} ${n(wy - 3.2 * u)}H${n(wx + ww + 9 * u)}`, lighter(wood, -0.2), 0.9 * u));
  parts.push(
    rect(
      -over,
      board,
      width + 2 * over,
      height - board,
      defs.linear([
        [0, lighter(wood, 0.16)],
        [0.2, wood],
        [1, lighter(wood, -0.3)],
      ]),
    ),
  );
  for (let grain = 0; grain < 16; grain += 1) {
    const y = board + 1.5 * u + random.next() * (height - board);
    const x = random.between(-over, width);
    parts.push(
      line(
        `M${n(x)} ${n(y)}q${n(12 * u)} ${n(random.between(-0.8, 0.8) * u)} ${n(26 * u)} 0`,
        lighter(wood, -0.25),
        0.2 * u,
        faint(0.5),
      ),
    );
  }
  parts.push(
    rect(-over, board, width + 2 * over, 0.7 * u, lighter(wood, 0.42), faint(0.7)),
    ellipse(width / 2, height * 1.02, width * 0.7, 10 * u, '#000000', faint(0.12)),
  );
  return { svg: parts.join(''), board };
}
