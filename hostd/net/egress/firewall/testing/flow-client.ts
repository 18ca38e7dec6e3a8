import { createSocket } from 'node:dgram';
import { connect } from 'node:net';

/** One long connection: `node flow-client.ts tcp|udp ADDRESS PORT [LOCAL-PORT]` prints `data` for what arrives, at most every 20 ms, and at its end the error's code or `end`. */
const [transport, address = '', port, localPort] = process.argv.slice(2);
let lastMs = 0;

function arrived(): void {
  if (performance.now() - lastMs < 20) return;
  lastMs = performance.now();
  process.stdout.write('data\n');
}

function ended(how: string): void {
  process.stdout.write(`${how}\n`, () => process.exit(0));
}

if (transport === 'tcp') {
  connect({ host: address, port: Number(port), ...(localPort === undefined ? {} : { localPort: Number(localPort) }) })
    .on('data', arrived)
    .on('error', (error: NodeJS.ErrnoException) => {
      ended(error.code ?? error.message);
    })
    .on('end', () => {
      ended('end');
    });
} else {
  const socket = createSocket('udp4');
  socket.on('message', arrived).on('error', (error: NodeJS.ErrnoException) => {
    ended(error.code ?? error.message);
  });
  socket.connect(Number(port), address, () => {
    setInterval(() => {
      socket.send('ping');
    }, 30);
  });
}
