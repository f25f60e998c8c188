import { lazy } from 'react';
import { Redirect, Route, Switch, useRoute } from 'wouter';
import { Page } from '../../components/page.tsx';
import { RoleGate } from '../../components/role-gate.tsx';

export const studioTabs = [
  { path: 'images', label: 'Images' },
  { path: 'video', label: 'Video' },
  { path: 'batch', label: 'Batch' },
  { path: 'gallery', label: 'Gallery' },
  { path: 'read', label: 'Read text' },
  { path: 'verify', label: 'Verify' },
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
const editorActions: Partial<Record<keyof typeof parts, string>> = {
  images: 'create images',
  video: 'create videos',
  batch: 'start batches',
  read: 'read text from files',
  verify: 'verify files',
};

export default function StudioPage() {
  const [, params] = useRoute('/studio/:part/*?');
  return (
    <Page title="Studio" base="/studio" tabs={studioTabs} current={params?.part}>
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
    <RoleGate minRole="editor" action={what}>
      <Content />
    </RoleGate>
  );
}
