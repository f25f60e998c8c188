import { lazy } from 'react';
import { Redirect, Route, Switch, useRoute } from 'wouter';
import { Page } from '../../components/page.tsx';
import { RoleGate } from '../../components/role-gate.tsx';
import { t } from '../../i18n/i18n.ts';
import type { MessageKey } from '../../i18n/messages.ts';

export const studioTabs = [
  { path: 'images', label: 'components.images' },
  { path: 'video', label: 'studio.video' },
  { path: 'batch', label: 'components.batch' },
  { path: 'gallery', label: 'studio.gallery' },
  { path: 'read', label: 'studio.readText' },
  { path: 'verify', label: 'studio.verify' },
] as const;

const parts = {
  images: lazy(() => import('./create/create-images.tsx')),
  video: lazy(() => import('./create/create-video.tsx')),
  batch: lazy(() => import('./batch/batch-panel.tsx')),
  gallery: lazy(() => import('./gallery/gallery.tsx')),
  read: lazy(() => import('./read/read-panel.tsx')),
  verify: lazy(() => import('./verify/verify-panel.tsx')),
};

/** Completes "Only editors of this workspace can …" for parts that viewers cannot use. */
const editorActions: Partial<Record<keyof typeof parts, MessageKey>> = {
  images: 'studio.actionImages',
  video: 'studio.actionVideos',
  batch: 'studio.actionBatches',
  read: 'studio.actionRead',
  verify: 'studio.actionVerify',
};

export default function StudioPage() {
  const [, params] = useRoute('/studio/:part/*?');
  return (
    <Page title={t('common.studio')} base="/studio" tabs={studioTabs} current={params?.part}>
      <Switch>
        {studioTabs.map(({ path }) => (
          <Route key={path} path={`/studio/${path}/*?`}>
            <Part name={path} />
          </Route>
        ))}
        <Route>
          <Redirect to="/studio/images" replace />
        </Route>
      </Switch>
    </Page>
  );
}

function Part({ name }: { name: keyof typeof parts }) {
  const Content = parts[name];
  const what = editorActions[name];
  if (what === undefined) return <Content />;
  return (
    <RoleGate minRole="editor" action={t(what)}>
      <Content />
    </RoleGate>
  );
}
