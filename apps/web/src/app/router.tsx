import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router';
import { parseSearch, stringifySearch } from '../lib/route.ts';
import { Loading } from '../ui/States.tsx';
import { createHistory } from './history.ts';
import { NotFound } from './NotFound.tsx';
import { PageFailure } from './PageFailure.tsx';
import { pages } from './pages.ts';
import { Shell } from './Shell.tsx';
import { Start } from './Start.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });
const start = createRoute({ getParentRoute: () => root, path: '/', component: Start });
const org = createRoute({ getParentRoute: () => root, path: '/$org', component: Shell, notFoundComponent: NotFound });

const routes = pages.map(({ path, load, name }) =>
  createRoute({
    getParentRoute: () => org,
    path,
    component: lazyRouteComponent(load, name),
  }),
);

export const router = createRouter({
  routeTree: root.addChildren([start, org.addChildren(routes)]),
  history: createHistory(),
  parseSearch,
  stringifySearch,
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error }) => <PageFailure error={error} />,
  defaultNotFoundComponent: NotFound,
  defaultPendingMs: 150,
  scrollRestoration: true,
});
