import { nameRequestSchema, type NameRequest } from './messages.ts';
import { openLineServer, type LineServer } from './control-server.ts';
import { parseLine, writeLine } from './json-lines.ts';

const maxLineBytes = 4096;

/** Answers the proxy's questions; with nothing where the answer rejects. Who sends something else is cut off. */
export function openNamesServer(
  path: string,
  addressesFor: (request: NameRequest) => Promise<readonly string[]>,
): Promise<LineServer> {
  return openLineServer(path, maxLineBytes, (line, socket) => {
    const request = nameRequestSchema.safeParse(parseLine(line));
    if (!request.success) {
      socket.destroy();
      return;
    }
    const { id } = request.data;
    void addressesFor(request.data)
      .catch(() => [])
      .then((addresses) => {
        writeLine(socket, { id, addresses });
      });
  });
}
