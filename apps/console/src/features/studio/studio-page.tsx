import { lazy } from 'react';
import { Redirect, Route, Switch, useRoute } from 'wouter';
import { ForRole } from '../../components/not-allowed.tsx';
import { Page } from '../../components/page.tsx';

const tabs = [
  { path: 'images', label: 'Images' },
  { path: 'video', label: 'Video' },
  { path: 'batch', label: 'Batch' },
  { path: 'gallery', label: 'Gallery' },
  { path: 'read', label: 'Read' },
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

/** What only editors do, in the words of who may not. */
const ofEditors: Partial<Record<keyof typeof parts, string>> = {
  images: 'make images',
  video: 'make videos',
  batch: 'begin batches',
  read: 'have files read',
  verify: 'have files verified',
};

/** Makes images and videos, one or thousands; shows them; reads files, and tells where they come from. */
export default function StudioPage() {
  const [, params] = useRoute('/studio/:part/*?');
  return (
    <Page title="Studio" base="/studio" tabs={tabs} current={params?.part}>
      <Switch>
        {tabs.map(({ path }) => (
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
  const what = ofEditors[name];
  if (what === undefined) return <Content />;
  return (
    <ForRole least="editor" what={what}>
      <Content />
    </ForRole>
  );
}
