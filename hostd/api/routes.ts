import type { Route } from './route.ts';
import { egressRoutes } from './routes/egress.ts';
import { eventsRoute } from './routes/events.ts';
import { execOutputRoute } from './routes/exec-output.ts';
import { execRoutes } from './routes/execs.ts';
import { fileRoutes } from './routes/files.ts';
import { forkRoutes } from './routes/forks.ts';
import { hostRoutes, type HostRouteServices } from './routes/host.ts';
import { imageRoutes } from './routes/images.ts';
import { pauseRoutes } from './routes/pauses.ts';
import { sandboxRoutes } from './routes/sandboxes.ts';
import { snapshotRoutes } from './routes/snapshots.ts';

/** All that hostd serves; handlers and OpenAPI are made from this table. */
export function allRoutes(services: HostRouteServices): readonly Route[] {
  return [
    ...sandboxRoutes,
    ...forkRoutes,
    ...pauseRoutes,
    ...egressRoutes,
    ...snapshotRoutes,
    ...execRoutes,
    execOutputRoute,
    ...fileRoutes,
    ...imageRoutes,
    eventsRoute,
    ...hostRoutes(services),
  ];
}
