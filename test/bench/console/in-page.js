// @ts-nocheck: it runs in the page that is measured, before its own scripts; the project has no types of browsers.

globalThis.bench = {
  /** When one could write, in milliseconds from the navigation. */
  interactive: Number.NaN,
  /** How long each task took that took more than 50 ms. */
  longTasks: [],
  /** When the last of them ended, in milliseconds from the navigation. */
  lastLongTask: 0,

  /** Waits until every picture of the page has come, and nothing took long for a while. */
  atRest() {
    const asked = performance.now();
    return new Promise((resolve) => {
      const look = () => {
        const isDrawn = [...document.images].every(({ complete }) => complete);
        const busy = Math.max(asked, globalThis.bench.lastLongTask);
        if (isDrawn && performance.now() - busy > 500) resolve();
        else requestAnimationFrame(look);
      };
      look();
    });
  },

  /** How many rows of a list hold no picture. */
  withoutPicture(label) {
    const rows = [...document.querySelectorAll(`ul[aria-label="${label}"] > li`)];
    return rows.filter((row) => row.querySelector('img') === null).length;
  },

  /**
   * Scrolls a list from its top to its very end, so many pixels a frame, again and again until there are so many frames. They are those of the page itself:
   * what was drawn, not what a script wishes.
   */
  scrollThrough({ label, step, least, most }) {
    const scroller = document.querySelector(`ul[aria-label="${label}"]`).parentElement;
    const isWhole = () => scroller.querySelector('li').getAttribute('aria-setsize') !== '-1';
    return new Promise((resolve) => {
      const gaps = [];
      const began = performance.now();
      let waiting = 0;
      let elements = 0;
      let before;
      let framesAtEnd = 0;
      const frame = (now) => {
        if (before !== undefined) gaps.push(now - before);
        before = now;
        if (gaps.length % 50 === 0) elements = Math.max(elements, document.querySelectorAll('*').length);
        const isAtEnd = scroller.scrollTop >= scroller.scrollHeight - scroller.clientHeight - 1;
        if (isAtEnd && !isWhole()) waiting += 1;
        framesAtEnd = isAtEnd && isWhole() ? framesAtEnd + 1 : 0;
        if (framesAtEnd <= 3 && gaps.length < most) scroller.scrollTop += step;
        else if (gaps.length < least) scroller.scrollTop = 0;
        else {
          resolve({ gaps, height: scroller.scrollHeight, waiting, seconds: (now - began) / 1_000, elements });
          return;
        }
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });
  },
};

new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    globalThis.bench.longTasks.push(duration);
    globalThis.bench.lastLongTask = startTime + duration;
  }
}).observe({ type: 'longtask', buffered: true });

const look = () => {
  if (!document.querySelector('textarea:not(:disabled)')?.checkVisibility()) requestAnimationFrame(look);
  // In the frame after the one that drew it, what the main thread still did is over.
  else
    requestAnimationFrame(() => {
      globalThis.bench.interactive = performance.now();
    });
};
requestAnimationFrame(look);
