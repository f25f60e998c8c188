import '../../../i18n/use-english.ts';
import { expect, test } from 'vitest';
import { deviceName } from './device-name.ts';

test('names devices by browser and system', () => {
  const mozilla = 'Mozilla/5.0';
  for (const [agent, name] of [
    [`${mozilla} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`, 'Firefox on Linux'],
    [
      `${mozilla} (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0`,
      'Edge on Windows',
    ],
    [
      `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15`,
      'Safari on macOS',
    ],
    [
      `${mozilla} (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1`,
      'Chrome on iPhone',
    ],
    ['chorus-cli (laptop)', 'Chorus command line'],
    ['curl/8.5.0', 'curl'],
    ['Something/1.0', 'Something/1.0'],
    [null, 'Unknown device'],
  ] as const)
    expect([agent, deviceName(agent)]).toEqual([agent, name]);
});
