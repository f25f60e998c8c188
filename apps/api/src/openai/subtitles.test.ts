import { expect, test } from 'vitest';
import { subRip, webVtt } from './subtitles.ts';

const cues = [
  { text: 'Hello & <goodbye>', start_ms: 0, end_ms: 1_500 },
  { text: 'One\n\ntwo --> three', start_ms: 3_723_004, end_ms: 3_723_004 },
];

test('formats SubRip', () => {
  expect(subRip(cues)).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nHello & <goodbye>\n\n' +
      '2\n01:02:03,004 --> 01:02:03,005\nOne two --> three\n\n',
  );
  expect(subRip([])).toBe('');
});

test('formats WebVTT', () => {
  expect(webVtt(cues)).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello &amp; &lt;goodbye&gt;\n\n' +
      '01:02:03.004 --> 01:02:03.005\nOne two --&gt; three\n\n',
  );
  expect(webVtt([])).toBe('WEBVTT\n\n');
});
