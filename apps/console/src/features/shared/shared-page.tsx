import { ChorusError, createClient, type SharedMessage, type SharedSession } from '@chorus/client';
import { LinkSlashIcon } from '@heroicons/react/24/outline';
import { Anchor, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Time } from '../../components/format.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { EmptyState, ErrorState, Loading } from '../../components/placeholders.tsx';
import { useSources } from '../../components/sources.tsx';
import { Dimmed } from '../../components/text.tsx';
import { t } from '../../i18n/i18n.ts';
import { LanguageMenu } from '../../i18n/language-menu.tsx';
import { rich } from '../../i18n/rich.tsx';
import { basePath } from '../../page-config.ts';
import { Logo } from '../../shell/logo.tsx';
import classes from './shared-page.module.css';

// Sends no credentials: everyone sees the same.
const client = createClient({ baseUrl: `${location.origin}${basePath}` });

interface Shared {
  session: SharedSession;
  messages: SharedMessage[];
}

/** Shows a conversation to people who have its link. */
export default function SharedPage({ token }: { token: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['shared', token],
    queryFn: async ({ signal }): Promise<Shared> => {
      const [session, messages] = await Promise.all([
        client.shares.open(token, { signal }),
        Array.fromAsync(client.shares.messages(token, { signal })),
      ]);
      return { session, messages };
    },
  });
  usePageTitle(data?.session.title ?? t('shared.sharedConversation'));
  return (
    <main className={classes.page}>
      {data ? (
        <Conversation token={token} {...data} />
      ) : error ? (
        <Problem error={error} onRetry={refetch} />
      ) : (
        <Loading />
      )}
    </main>
  );
}

function Problem({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (!(error instanceof ChorusError && error.code === 'not_found'))
    return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <EmptyState title={t('shared.brokenLink')} level={1} icon={LinkSlashIcon}>
      {t('shared.brokenLinkHint')}
    </EmptyState>
  );
}

function Conversation({ token, session, messages }: Shared & { token: string }) {
  return (
    <div className={classes.content}>
      <header className={classes.header}>
        <Title order={1} size="h3">
          <bdi>{session.title ?? t('shared.sharedConversation')}</bdi>
        </Title>
        <Dimmed>{rich('shared.sharedAt', { time: <Time at={session.shared_at} /> })}</Dimmed>
      </header>
      {messages.map((message) => (
        <Message key={message.number} token={token} message={message} />
      ))}
      <footer className={classes.footer}>
        <Logo />
        <Anchor href={`${basePath}/`} size="sm">
          {t('shared.openChorus')}
        </Anchor>
        <LanguageMenu />
      </footer>
    </div>
  );
}

function Message({ token, message }: { token: string; message: SharedMessage }) {
  const { reference, list } = useSources(message.citations);
  const isUser = message.role === 'user';
  return (
    <article
      className={classes.message}
      data-role={message.role}
      aria-label={isUser ? t('shared.question') : t('shared.answer')}
    >
      {message.images.map((id) => (
        <img
          key={id}
          className={classes.image}
          src={`${basePath}/api/v1/shared/${token}/images/${id}`}
          alt={t('shared.imageAlt')}
          loading="lazy"
        />
      ))}
      {isUser ? (
        <div className={classes.bubble} dir="auto">
          {message.content}
        </div>
      ) : (
        <Markdown text={message.content} reference={reference} />
      )}
      {list}
    </article>
  );
}
