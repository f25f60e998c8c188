import type { Session } from '@chorus/client';
import { BookmarkIcon, StarIcon as SolidStarIcon } from '@heroicons/react/16/solid';
import {
  ChatBubbleLeftRightIcon,
  MagnifyingGlassIcon,
  PencilSquareIcon,
  StarIcon,
  XMarkIcon,
} from '@heroicons/react/24/outline';
import { ActionIcon, Button, Group, Loader, TextInput, Tooltip } from '@mantine/core';
import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { memo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { ListView } from '../../../components/list-view.tsx';
import { EmptyState } from '../../../components/placeholders.tsx';
import { useCursorList } from '../../../data/use-cursor-list.ts';
import { dateGroup, useToday } from './date-groups.ts';
import classes from './session-list.module.css';
import { SessionMenu } from './session-menu.tsx';

interface SessionListProps {
  current: string | null;
  onChoose?: () => void;
}

const SEARCH_DEBOUNCE_MS = 250;

export function SessionList({ current, onChoose }: SessionListProps) {
  const [query, setQuery] = useState('');
  const [starred, setStarred] = useState(false);
  const [debouncedQuery] = useDebouncedValue(query.trim(), SEARCH_DEBOUNCE_MS);
  const sessions = useSessions({ query: debouncedQuery, starred });
  const today = useToday();
  const groupOf = (session: Session | undefined) =>
    session && (session.pinned ? 'Pinned' : dateGroup(session.updated_at, today));
  const search = useRef<HTMLInputElement>(null);
  useHotkeys([['mod+K', () => search.current?.focus()]], []);
  return (
    <nav className={classes.list} aria-label="Conversations">
      <div className={classes.head}>
        <Button component={Link} href="/chat" leftSection={<PencilSquareIcon />} onClick={onChoose} fullWidth>
          New conversation
        </Button>
        <Group gap={6} wrap="nowrap">
          <TextInput
            ref={search}
            flex={1}
            size="sm"
            placeholder="Search"
            aria-label="Search conversations"
            leftSection={<MagnifyingGlassIcon />}
            rightSection={
              query !== '' && (
                <ActionIcon variant="subtle" color="gray" onClick={() => setQuery('')} aria-label="Clear search">
                  <XMarkIcon />
                </ActionIcon>
              )
            }
            value={query}
            onChange={(event) => setQuery(event.currentTarget.value)}
          />
          <Tooltip label={starred ? 'Show all' : 'Show starred only'}>
            <ActionIcon
              size="lg"
              variant={starred ? 'filled' : 'default'}
              aria-label="Show starred only"
              aria-pressed={starred}
              onClick={() => setStarred(!starred)}
            >
              <StarIcon />
            </ActionIcon>
          </Tooltip>
        </Group>
      </div>
      <div className={classes.rows}>
        <ListView
          label="Conversations"
          list={sessions}
          estimatedHeight={40}
          empty={<NoSessions isFiltered={debouncedQuery !== '' || starred} />}
        >
          {(session, index) => {
            const group = groupOf(session);
            // Results are ordered by relevance.
            const isFirst = debouncedQuery === '' && group !== groupOf(sessions.items[index - 1]);
            return (
              <>
                {isFirst && <div className={classes.group}>{group}</div>}
                <SessionRow session={session} isCurrent={session.id === current} onChoose={onChoose} />
              </>
            );
          }}
        </ListView>
      </div>
    </nav>
  );
}

function NoSessions({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState title="No results" icon={MagnifyingGlassIcon}>
      Titles and messages are searched. Try other words, or show all conversations.
    </EmptyState>
  ) : (
    <EmptyState title="No conversations yet" icon={ChatBubbleLeftRightIcon}>
      Write a message to start one.
    </EmptyState>
  );
}

interface SessionRowProps {
  session: Session;
  isCurrent: boolean;
  onChoose?: (() => void) | undefined;
}

const SessionRow = memo(({ session, isCurrent, onChoose }: SessionRowProps) => (
  <div className={classes.row} data-current={isCurrent || undefined}>
    <Link
      href={`/chat/${session.id}`}
      className={classes.link}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onChoose}
    >
      {session.pinned && <Marker label="Pinned" icon={BookmarkIcon} />}
      {session.starred && <Marker label="Starred" icon={SolidStarIcon} />}
      <span className={classes.title}>{session.title ?? 'Untitled'}</span>
      {session.active_execution_id !== null && <Loader size={12} role="img" aria-label="An answer is being written" />}
    </Link>
    <SessionMenu session={session} />
  </div>
));

function Marker({ label, icon: Icon }: { label: string; icon: typeof SolidStarIcon }) {
  return (
    <span role="img" aria-label={label} className={classes.mark}>
      <Icon />
    </span>
  );
}

interface SessionFilters {
  /** Matches titles and messages; empty for all. */
  query: string;
  starred: boolean;
}

/** Lists conversations: pinned ones first, then newest first; search results by relevance. */
function useSessions({ query, starred }: SessionFilters) {
  const filters = { ...(query !== '' && { q: query }), ...(starred && { starred: 'true' as const }) };
  return useCursorList({
    name: 'sessions',
    filters,
    fetchPage: (client, page, options) => client.sessions.list({ ...page, ...filters }, options),
  });
}
