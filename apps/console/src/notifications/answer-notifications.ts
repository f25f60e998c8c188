import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useAccount } from '../account/account-gate.tsx';
import { setTitleCount } from '../components/page-title.ts';
import { useLiveEvent } from '../data/live-events.tsx';
import { useScope } from '../scope/scope-context.tsx';
import { type Notice, noticeOf } from './notice.ts';
import { useNotificationSetting } from './use-notification-setting.ts';

/** How long other tabs have to report that the user is looking at them. */
const SEEN_MS = 500;

/**
 * Tells the user about answers that took long or wait for approval, while all tabs are in the background: by a
 * notification if the user wants it, else by a number in the tab's title.
 */
export function AnswerNotifications(): null {
  const { user } = useAccount();
  const { client } = useScope();
  const { isOn } = useNotificationSetting();
  const [, navigate] = useLocation();
  const tabs = useRef<BroadcastChannel | null>(null);
  const waiting = useRef(new Map<string, ReturnType<typeof setTimeout>>());
  const unseen = useRef(0);

  useEffect(() => {
    const channel = new BroadcastChannel('chorus.seen');
    const timers = waiting.current;
    tabs.current = channel;
    channel.onmessage = ({ data }: MessageEvent<string>) => clearTimeout(timers.get(data));
    const onVisible = () => {
      if (document.hidden) return;
      unseen.current = 0;
      setTitleCount(0);
    };
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      channel.close();
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, []);

  const show = async (notice: Notice) => {
    if (!document.hidden) return;
    const open = () => navigate(`/chat/${notice.sessionId}`);
    const title = isOn ? await titleOf(client.sessions.get(notice.sessionId)) : '';
    if (isOn && notify(notice, title, open)) return;
    unseen.current += 1;
    setTitleCount(unseen.current);
  };

  useLiveEvent((event) => {
    const notice = noticeOf(event, user.id);
    if (notice === null) return;
    if (!document.hidden) return tabs.current?.postMessage(notice.executionId);
    const timer = setTimeout(() => {
      waiting.current.delete(notice.executionId);
      void show(notice);
    }, SEEN_MS);
    waiting.current.set(notice.executionId, timer);
  });
  return null;
}

const titleOf = (session: Promise<{ title: string | null }>) =>
  session.then(({ title }) => title ?? '').catch(() => '');

/** Returns false where pages cannot show notifications, such as in Chrome for Android. */
function notify({ title, executionId }: Notice, body: string, open: () => void): boolean {
  try {
    // The tag joins the notifications of several tabs.
    const notification = new Notification(title, { body, tag: executionId });
    notification.onclick = () => {
      window.focus();
      open();
      notification.close();
    };
    return true;
  } catch {
    return false;
  }
}
