import { readdirSync, readFileSync } from 'node:fs';
import { startPlatform } from './platform.ts';
import { readStream } from './stream-client.ts';

const p = await startPlatform(process.env.PROF ? { NODE_OPTIONS: process.env.PROF } : {});
function cpu() {
  const out: Record<string, number> = {};
  for (const pid of readdirSync('/proc').filter((e) => /^\d+$/.test(e))) {
    try {
      const c = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const e = readFileSync(`/proc/${pid}/environ`, 'utf8');
      const isOurs = e.includes(p.dataDir) || c.includes(p.dataDir) || c.includes('fake-openai-main');
      if (!isOurs) continue;
      const s = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      const name = c.includes('redis')
        ? 'redis'
        : (/((apps|workers|packages|scripts)\/[\w-]+)/.exec(c)?.[1] ?? c.slice(0, 30));
      out[name] = (out[name] ?? 0) + (Number(s[11]) + Number(s[12])) * 10;
    } catch {}
  }
  out.client = process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
  return out;
}
const N = Number(process.env.N ?? 500),
  C = Number(process.env.C ?? 1);
const M = process.env.M ?? 'words-20-delay-5';
const body = (m: string) =>
  process.env.SESSION
    ? { model: `compatible/${m}`, stream: true, message: 'Count.' }
    : { model: `compatible/${m}`, stream: true, messages: [{ role: 'user', content: 'Count.' }] };
const go = async (n: number) => {
  const t: number[] = [];
  await Promise.all(
    Array.from({ length: C }, async () => {
      for (let i = 0; i < n / C; i++)
        t.push((await readStream(`${p.api}/chat/completions`, p.headers, body(M))).firstTextMs);
    }),
  );
  return t;
};
await go(500);
const a = cpu(),
  t0 = performance.now();
const t = await go(N);
const b = cpu();
const ms = performance.now() - t0;
console.log('wall', ms.toFixed(0), 'per req cpu ms:');
for (const k of Object.keys(b)) console.log(' ', k, ((b[k]! - (a[k] ?? 0)) / N).toFixed(2));
t.sort((x, y) => x - y);
console.log('ttft p50', t[(N / 2) | 0]!.toFixed(1), 'p99', t[(N * 0.99) | 0]!.toFixed(1));
await p.stop();
process.exit(0);
