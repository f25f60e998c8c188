import type { TimedText } from '@chorus/contract';

/** Formats segments as SubRip subtitles. */
export function subRip(cues: readonly TimedText[]): string {
  return cues.map((cue, index) => `${index + 1}\n${times(cue, ',')}\n${line(cue.text)}\n\n`).join('');
}

/** Formats segments as WebVTT subtitles. */
export function webVtt(cues: readonly TimedText[]): string {
  return `WEBVTT\n\n${cues.map((cue) => `${times(cue, '.')}\n${escaped(line(cue.text))}\n\n`).join('')}`;
}

/** Formats times. Players skip cues that end when they start. */
function times({ start_ms, end_ms }: TimedText, point: string): string {
  return `${clock(start_ms, point)} --> ${clock(Math.max(end_ms, start_ms + 1), point)}`;
}

function clock(ms: number, point: string): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const milliseconds = String(ms % 1_000).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}${point}${milliseconds}`;
}

/** An empty line would end the cue. */
const line = (text: string) => text.replace(/\s+/g, ' ').trim();

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
