import { expect, test } from 'vitest';
import { findEncoding } from './find-encoding.ts';

const decoded = (bytes: Uint8Array, encoding: string | null) => new TextDecoder(encoding ?? 'ascii').decode(bytes);
const RABBITS = 'Früh am Abend kommen Kaninchen – und 兔子.';

/** Sample sentences and their encodings. */
const LEGACY = [
  [
    'windows-1252',
    'Die Kaninchen hören im Frühling früher auf zu schlafen – „größer“ als im März. Où êtes-vous, mon élève?',
    'RGllIEthbmluY2hlbiBo9nJlbiBpbSBGcvxobGluZyBmcvxoZXIgYXVmIHp1IHNjaGxhZmVuIJYghGdy9t9lcpMgYWxzIGltIE3kcnouIE/5IOp0ZXMtdm91cywgbW9uIOls6HZlPw==',
  ],
  [
    'windows-1250',
    'Králíci žijí v norách a za soumraku vycházejí ven, aby se pásli na trávě. Króliki jedzą trawę, żeby żyć.',
    'S3LhbO1jaSCeaWrtIHYgbm9y4WNoIGEgemEgc291bXJha3UgdnljaOF6ZWrtIHZlbiwgYWJ5IHNlIHDhc2xpIG5hIHRy4XbsLiBLcvNsaWtpIGplZHq5IHRyYXfqLCC/ZWJ5IL955i4=',
  ],
  [
    'windows-1251',
    'Кролики живут в норах и выходят в сумерках, чтобы есть траву.',
    'yvDu6+jq6CDm6OLz8iDiIO3u8OD1IOgg4vv17uT/8iDiIPHz7OXw6uD1LCD38u7h+yDl8fL8IPLw4OLzLg==',
  ],
  [
    'koi8-r',
    'Кролики живут в норах и выходят в сумерках, чтобы есть траву.',
    '69LPzMnLySDWydfV1CDXIM7P0sHIIMkg19nIz8TR1CDXINPVzcXSy8HILCDe1M/C2SDF09TYINTSwdfVLg==',
  ],
  [
    'shift_jis',
    'うさぎは巣穴に住んでいて、夕方になると草を食べに出てきます。',
    'gqSCs4Ksgs2Rg4yKgsmPWoLxgsWCooLEgUGXW5X7gsmCyILpgsaRkILwkEiC14LJj2+CxIKrgtyCt4FC',
  ],
  [
    'euc-jp',
    'うさぎは巣穴に住んでいて、夕方になると草を食べに出てきます。',
    'pKaktaSupM/B47fqpMu9u6TzpMekpKTGoaLNvMr9pMukyqTrpMjB8KTyv6mk2aTLvdCkxqStpN6kuaGj',
  ],
  [
    'gb18030',
    '兔子住在地下的洞里，它们在黄昏时出来吃草。中国人很喜欢兔子，这是一个好的动物。',
    'zcPX09eh1Nq12M/CtcS2tMDvo6zL/MPH1Nq7xrvoyrGz9sC0s9Sy3aGj1tC5+sjLutzPsru2zcPX06Os1eLKx9K7uPa6w7XEtq/O76Gj',
  ],
  [
    'big5',
    '兔子住在地下的洞裡，牠們在黃昏時出來吃草。這是一個好的動物，我們不了解的人有很多。',
    'qN+kbKbtpmKmYaRVqrqsfbjMoUGoZa3MpmK2wKn8rsmlWKjTplmv86FDs2+sT6RArdOmbqq6sMqqq6FBp9qtzKSjpEa40aq6pEims6vcpmihQw==',
  ],
  [
    'euc-kr',
    '토끼는 굴에서 살고 해질녘에 풀을 먹으러 나온다. 사람들은 토끼를 아주 좋아하고 기른다.',
    'xeSzorTCILG8v6G8rSC77LDtIMfYwfqz6L+hIMeuwLsguNTAuLevILOqv8K02S4gu+e297XpwLogxeSzorimIL7GwdYgwcG+xsfPsO0gseK4pbTZLg==',
  ],
  [
    'windows-1253',
    'Τα κουνέλια ζουν σε λαγούμια και βγαίνουν το σούρουπο για να φάνε χορτάρι.',
    '1OEg6u/17d3r6eEg5u/17SDz5SDr4ePv/ezp4SDq4ekg4uPh3+3v9e0g9O8g8+/98e/18O8g4+nhIO3hIPbc7eUg9+/x9Nzx6S4=',
  ],
  [
    'windows-1255',
    'ארנבים חיים במחילות ויוצאים עם רדת החשכה כדי לאכול עשב בשדה.',
    '4Pjw4entIOfp6e0g4e7n6ezl+iDl6eX24OntIPLtIPjj+iDk5/nr5CDr4+kg7ODr5ewg8vnhIOH54+Qu',
  ],
  [
    'windows-1256',
    'تعيش الأرانب في الجحور وتخرج عند الغسق لتأكل العشب من الحقول القريبة.',
    'ytrt1CDH4cPRx+TIIN3tIMfhzM3m0SDmys7RzCDa5M8gx+Hb094g4crD3+Egx+Ha1Mgg4+Qgx+HN3ubhIMfh3tHtyMku',
  ],
];

test.each(LEGACY)('detects %s by its letters: %s', (_encoding, text, base64) => {
  const bytes = Buffer.from(base64, 'base64');
  expect(decoded(bytes, findEncoding(bytes))).toBe(text);
});

test.each([
  ['UTF-8', Buffer.from(RABBITS)],
  ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${RABBITS}`)],
  ['UTF-16 with a byte order mark', Buffer.from(`\uFEFF${RABBITS}`, 'utf16le')],
  ['UTF-16 without one', Buffer.from(RABBITS, 'utf16le')],
  ['UTF-16, big-endian', Buffer.from(`\uFEFF${RABBITS}`, 'utf16le').swap16()],
])('%s', (_name, bytes) => {
  expect(decoded(bytes, findEncoding(bytes))).toBe(RABBITS);
});

test('trusts the declared encoding if it is possible', () => {
  const [, text = '', base64 = ''] = LEGACY.find(([encoding]) => encoding === 'koi8-r') ?? [];
  const bytes = Buffer.from(base64, 'base64');
  expect(decoded(bytes, findEncoding(bytes, 'KOI8-R'))).toBe(text);
  expect(decoded(bytes, findEncoding(bytes, 'utf-8'))).toBe(text);
  expect(decoded(bytes, findEncoding(bytes, 'no-such-thing'))).toBe(text);
});

test('accepts UTF-8 with one broken byte, and rejects binary data', () => {
  const long = RABBITS.repeat(20);
  const broken = Buffer.concat([Buffer.from(long), Buffer.from([0xff]), Buffer.from(long)]);
  expect(findEncoding(broken)).toBe('utf-8');
  expect(findEncoding(Buffer.from([1, 2, 3, 0, 0, 0, 200, 7, 9]))).toBe(null);
  expect(findEncoding(Uint8Array.from({ length: 5_000 }, (_, index) => (index * 7_919) % 256))).toBe(null);
});
