import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  buildLineSchema,
  eventSchema,
  hostSchema,
  imageListSchema,
  imageSchema
} from "./chunk-LJQPOVH3.mjs";
import {
  Transport,
  errorFromProblem,
  isConnectionLoss
} from "./chunk-7WZNFVLZ.mjs";
import {
  snapshotListSchema,
  snapshotSchema
} from "./chunk-HDXKHYD2.mjs";
import {
  OffshootError
} from "./chunk-LTWX3RIA.mjs";

// hostd/client/events.ts
import { setTimeout as sleep } from "node:timers/promises";

// hostd/client/lines.ts
async function* readLines(body) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield line.replace(/\r$/, "");
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

// hostd/client/events.ts
async function* readEvents(transport, options = {}) {
  let afterId = options.afterId;
  for (; ; ) {
    try {
      const answer = await transport.send({
        method: "GET",
        path: "/v1/events",
        query: { follow: options.follow ?? false, sandbox: options.sandboxId, from: afterId },
        headers: { accept: "text/event-stream" },
        signal: options.signal
      });
      for await (const line of readLines(answer.body)) {
        if (!line.startsWith("data:")) continue;
        const event = eventSchema.parse(JSON.parse(line.slice("data:".length)));
        afterId = event.id;
        yield event;
      }
    } catch (error) {
      if (options.signal?.aborted === true) return;
      if (!isConnectionLoss(error) || options.follow !== true) throw error;
      if (error instanceof OffshootError && error.code === "host-unreachable") throw error;
    }
    if (options.follow !== true || options.signal?.aborted === true) return;
    await sleep(200, void 0, { signal: options.signal }).catch(() => void 0);
  }
}

// hostd/client/images.ts
var Images = class {
  #transport;
  constructor(transport) {
    this.#transport = transport;
  }
  async list() {
    return (await this.#transport.json(imageListSchema, { method: "GET", path: "/v1/images" })).images;
  }
  async get(name) {
    return this.#transport.json(imageSchema, { method: "GET", path: `/v1/images/${encodeURIComponent(name)}` });
  }
  /** Builds an image, or returns it when nothing changed. The build goes on in hostd when this client goes away; asking again joins it. */
  async build(request, onProgress = () => void 0, options = {}) {
    const answer = await this.#transport.send({
      method: "POST",
      path: "/v1/images",
      json: request,
      timeoutMs: 0,
      signal: options.signal
    });
    for await (const text of readLines(answer.body)) {
      if (text === "") continue;
      const line = buildLineSchema.parse(JSON.parse(text));
      if ("progress" in line) onProgress(line.progress);
      if ("image" in line) return line.image;
      if ("error" in line) throw errorFromProblem(line.error);
    }
    throw new OffshootError("host-unreachable", {
      message: "hostd went away during the build; asking again joins or repeats it."
    });
  }
  async remove(name) {
    const answer = await this.#transport.send({
      method: "DELETE",
      path: `/v1/images/${encodeURIComponent(name)}`,
      timeoutMs: 0
    });
    answer.body.resume();
  }
};

// hostd/client/snapshots.ts
var Snapshots = class {
  #transport;
  constructor(transport) {
    this.#transport = transport;
  }
  async list() {
    return (await this.#transport.json(snapshotListSchema, { method: "GET", path: "/v1/snapshots" })).snapshots;
  }
  /** Throws `snapshot-not-found`. */
  async get(name) {
    return this.#transport.json(snapshotSchema, { method: "GET", path: snapshotPath(name) });
  }
  /** Throws `snapshot-in-use` with details.usedBy while sandboxes stand on it. */
  async remove(name) {
    const answer = await this.#transport.send({ method: "DELETE", path: snapshotPath(name), timeoutMs: 0 });
    answer.body.resume();
  }
};
function snapshotPath(name) {
  return `/v1/snapshots/${encodeURIComponent(name)}`;
}

// hostd/client/host-client.ts
var HostClient = class {
  images;
  snapshots;
  #transport;
  constructor(connection) {
    this.#transport = new Transport(connection);
    this.images = new Images(this.#transport);
    this.snapshots = new Snapshots(this.#transport);
  }
  async info() {
    return this.#transport.json(hostSchema, { method: "GET", path: "/v1/host" });
  }
  events(options) {
    return readEvents(this.#transport, options);
  }
  async close() {
    await this.#transport.close();
  }
  async [Symbol.asyncDispose]() {
    await this.close();
  }
};

export {
  HostClient
};
