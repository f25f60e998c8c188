// @ts-nocheck: runs in the measured page before its scripts; the project has no DOM types.

globalThis.bench = {
  /** When the text box was usable, in milliseconds since navigation. */
  interactive: Number.NaN,
  /** Durations of tasks over 50 ms. */
  longTasks: [],
  /** End of the last long task, in milliseconds since navigation. */
  lastLongTask: 0,

  /** Waits until all images are loaded and no long task ran for 500 ms. */
  settled() {
    const start = performance.now();
    return new Promise((resolve) => {
      const look = () => {
        const isDrawn = [...document.images].every(({ complete }) => complete);
        const busy = Math.max(start, globalThis.bench.lastLongTask);
        if (isDrawn && performance.now() - busy > 500) resolve();
        else requestAnimationFrame(look);
      };
      look();
    });
  },

  rowsWithoutImage(label) {
    const rows = [...document.querySelectorAll(`ul[aria-label="${label}"] > li`)];
    return rows.filter((row) => row.querySelector('img') === null).length;
  },

  /** Scrolls a list from top to bottom by `step` pixels per frame, repeatedly until there are `least` frames. */
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
  // The next frame follows all work of the main thread for this one.
  else
    requestAnimationFrame(() => {
      globalThis.bench.interactive = performance.now();
    });
};
requestAnimationFrame(look);
