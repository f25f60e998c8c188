import type { Brief } from './brief.ts';
import type { Meaning } from './vocabulary.ts';

/** Takes out of a brief what shall not be seen. */
export function leaveOut(brief: Brief, meaning: Meaning): void {
  switch (meaning.is) {
    case 'thing': {
      // The others keep their places in the list, which relations name.
      for (const thing of brief.things) if (thing.kind === meaning.kind) thing.count = -1;
      return;
    }
    case 'place':
      brief.places.delete(meaning.place);
      return;
    case 'light':
      brief.lights.set(meaning.light, { count: 0, color: null, size: 1, word: '' });
      return;
    case 'weather':
      brief.weathers.delete(meaning.weather);
      return;
    case 'mood':
      brief.moods.delete(meaning.mood);
      return;
    case 'style':
      brief.styles.delete(meaning.style);
      return;
    case 'color':
      brief.colors = brief.colors.filter((color) => color !== meaning.color);
      for (const thing of brief.things) thing.colors = thing.colors.filter((color) => color !== meaning.color);
      return;
    default:
      return;
  }
}
