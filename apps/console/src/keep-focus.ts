/** What can be reached by the Tab key. */
const REACHABLE =
  ':is(a[href], button:enabled, input:enabled, textarea:enabled, select:enabled, [tabindex]):not([tabindex="-1"])';

/** Dialogs and menus that close give the focus back by themselves, so many milliseconds are left to them. */
const SETTLE_MS = 60;

/** How many places of before are remembered. */
const REMEMBERED = 10;

interface Step {
  place: Element;
  /** Which of its children leads to what has the focus. */
  index: number;
}

/**
 * Keeps the focus of the keyboard on the page: when what has it goes away, is moved or can't be used any more, it goes to itself again, to what stands
 * nearest to where it was, or to what had it before. Left to the browser it would be nowhere, and whoever can't see the page would begin at its top.
 *
 * @returns what ends it
 */
export function keepFocus(): () => void {
  let path: Step[] = [];
  let visited: HTMLElement[] = []; // the newest first
  let timer: ReturnType<typeof setTimeout> | undefined;

  const onFocus = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement)) return;
    path = pathTo(target);
    visited = [target, ...visited.filter((one) => one !== target)].slice(0, REMEMBERED);
  };
  // Whoever clicks beside everything wants it nowhere.
  const onPointer = () => {
    visited = [];
  };
  const restore = () => {
    timer = undefined;
    const [last] = visited;
    if (last === undefined || !isLost()) return;
    if (last.isConnected && last.dataset.loading === 'true') return; // it comes back, and with it another change
    const next = isReachable(last) ? last : (nearest(path, isField(last)) ?? visited.find(isReachable));
    (next ?? document.getElementById('content'))?.focus({ preventScroll: true });
  };
  const changes = new MutationObserver(() => {
    if (isLost()) timer ??= setTimeout(restore, SETTLE_MS);
  });
  changes.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  document.addEventListener('focusin', onFocus);
  document.addEventListener('pointerdown', onPointer, { capture: true });
  return () => {
    clearTimeout(timer);
    changes.disconnect();
    document.removeEventListener('focusin', onFocus);
    document.removeEventListener('pointerdown', onPointer, { capture: true });
  };
}

const isLost = () => document.activeElement === document.body || document.activeElement === null;

const isReachable = (element: Element): element is HTMLElement =>
  element.isConnected && element.matches(REACHABLE) && element.checkVisibility();

/** A phone shows its keyboard for these: they get the focus only from one another. */
const isField = (element: Element) => element.matches('input, textarea');

function pathTo(element: Element): Step[] {
  const path: Step[] = [];
  for (let child = element; child.parentElement !== null; child = child.parentElement) {
    const place = child.parentElement;
    // What lies directly on the page has nothing to do with what stands beside it: dialogs, menus.
    if (place === document.body) break;
    path.push({ place, index: Array.prototype.indexOf.call(place.children, child) });
  }
  return path;
}

/** What comes next in the innermost place that is still there, else what comes before, else the place itself. */
function nearest(path: readonly Step[], maybeField: boolean): HTMLElement | undefined {
  const isGood = (element: Element): element is HTMLElement =>
    isReachable(element) && (maybeField || !isField(element));
  for (const { place, index } of path) {
    if (!place.isConnected) continue;
    const children = [...place.children];
    for (const child of [...children.slice(index), ...children.slice(0, index).reverse()]) {
      const found = [child, ...child.querySelectorAll(REACHABLE)].find(isGood);
      if (found) return found;
    }
    if (isGood(place)) return place;
  }
  return undefined;
}
