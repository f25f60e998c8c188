import { BookOpenIcon, ChatBubbleLeftRightIcon, PhotoIcon } from '@heroicons/react/24/outline';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { t } from '../../i18n/i18n.ts';
import { useScope } from '../../scope/scope-context.tsx';
import { type CommandGroup, matches } from './command.ts';

const MAX_FOUND = 6;

/** Images have no search; this compares the names of the newest ones. */
const IMAGES_READ = 100;

/** Returns conversations, documents, and images with the words of a query; without one, the latest conversations. */
export function useFoundRecords(query: string): { groups: CommandGroup[]; isPending: boolean } {
  const { client, scopeKey } = useScope();
  const [, navigate] = useLocation();
  const named = query === '' ? {} : { q: query };
  const sessions = useQuery({
    queryKey: [scopeKey, 'sessions', 'palette', query],
    queryFn: ({ signal }) => client.sessions.list({ limit: MAX_FOUND, ...named }, { signal }),
    placeholderData: keepPreviousData,
  });
  const documents = useQuery({
    queryKey: [scopeKey, 'knowledge', 'palette', query],
    queryFn: ({ signal }) => client.knowledge.list({ limit: MAX_FOUND, ...named }, { signal }),
    placeholderData: keepPreviousData,
    enabled: query !== '',
  });
  const images = useQuery({
    queryKey: [scopeKey, 'assets', 'palette'],
    queryFn: ({ signal }) => client.assets.list({ kind: 'image', limit: IMAGES_READ }, { signal }),
    enabled: query !== '',
  });
  const conversations = (sessions.data?.data ?? []).map(({ id, title }) => ({
    id,
    label: title ?? t('palette.untitledConversation'),
    icon: ChatBubbleLeftRightIcon,
    run: () => navigate(`/chat/${id}`),
  }));
  if (query === '')
    return { groups: [{ label: t('common.conversations'), commands: conversations }], isPending: false };
  const entries = (documents.data?.data ?? []).map(({ id, title }) => ({
    id,
    label: title,
    icon: BookOpenIcon,
    run: () => navigate(`/knowledge/${id}`),
  }));
  const pictures = (images.data?.data ?? []).map(({ id, filename }) => ({
    id,
    label: filename ?? '',
    icon: PhotoIcon,
    run: () => navigate(`/studio/gallery?asset=${id}`),
  }));
  const groups = [
    { label: t('common.conversations'), commands: conversations },
    { label: t('palette.documents'), commands: entries },
    { label: t('palette.images'), commands: pictures.filter((image) => matches(query, image)).slice(0, MAX_FOUND) },
  ];
  return { groups, isPending: sessions.isFetching || documents.isFetching || images.isFetching };
}
