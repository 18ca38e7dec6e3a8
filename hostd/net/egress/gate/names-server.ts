import { nameRequestSchema } from './messages.ts';
import { openLineServer, type LineServer } from './control-server.ts';
import { parseLine, writeLine } from './json-lines.ts';

const maxLineBytes = 4096;

/** Answers the proxy's questions. Who sends something else is cut off. */
export function openNamesServer(
  path: string,
  addressesOf: (sandboxId: string, name: string) => Promise<readonly string[]>,
): Promise<LineServer> {
  return openLineServer(path, maxLineBytes, (line, socket) => {
    const request = nameRequestSchema.safeParse(parseLine(line));
    if (!request.success) {
      socket.destroy();
      return;
    }
    const { id, sandboxId, name } = request.data;
    void addressesOf(sandboxId, name).then((addresses) => {
      writeLine(socket, { id, addresses });
    });
  });
}
