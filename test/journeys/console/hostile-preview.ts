import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Connects to a TURN server, which sees the text as a user name. */
const PEER = `(server) => {
  const Peer = self.RTCPeerConnection ?? self.webkitRTCPeerConnection ?? self.mozRTCPeerConnection;
  const urls = [\`turn:\${server}?transport=tcp\`, \`turn:\${server}?transport=udp\`];
  const peer = new Peer({ iceServers: [{ urls, username: 'leak', credential: 'x' }] });
  peer.createDataChannel('x');
  return peer.createOffer().then((offer) => peer.setLocalDescription(offer));
}`;

const framedPeer = (turn: string) =>
  `<iframe srcdoc="<script>(${PEER.replaceAll('&', '&amp;').replaceAll('"', '&quot;')})('${turn}')</script>"></iframe>`;

/** Tries to reach everything, and records what it got. */
export const hostilePreview = (turn: string) => `<p id="out">started</p>
${framedPeer(turn)}
<div><template shadowrootmode="closed">${framedPeer(turn)}</template></div>
<script>
  const framed = ${JSON.stringify(framedPeer(turn)).replaceAll('</script', '<\\/script')};
  const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const attempt = async (name, work) => {
    let got = 'nothing';
    try { got = String(await work()).slice(0, 20); } catch (error) { got = error.name; }
    out.textContent += ' ' + name + '=' + got;
  };
  const load = (element, url) => new Promise((resolve) => {
    element.onload = () => resolve('loaded');
    element.onerror = () => resolve('refused');
    element.src = url;
    document.body.append(element);
  });
  (async () => {
    await attempt('cookie', () => document.cookie);
    await attempt('storage', () => localStorage.length);
    await attempt('parent', () => parent.document.title);
    await attempt('top', () => { top.location.href = '/leak'; });
    await attempt('fetch', () => fetch('/leak'));
    await attempt('image', () => load(new Image(), '/leak'));
    await attempt('script', () => load(document.createElement('script'), '/leak'));
    await attempt('open', () => open('/leak'));
    await attempt('peer', () => (${PEER})('${turn}'));
    await attempt('frame', () => document.body.insertAdjacentHTML('beforeend', framed));
    await attempt('blank', () => {
      const frame = document.body.appendChild(document.createElement('iframe'));
      return frame.contentWindow.RTCPeerConnection;
    });
    await attempt('shadow', () => {
      const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'closed', clonable: true });
      root.innerHTML = '<b></b>';
      const copy = document.body.appendChild(root.host.cloneNode(true));
      root.innerHTML = framed;
      if (copy.shadowRoot) copy.shadowRoot.innerHTML = framed;
    });
    await attempt('unsafe', () => document.body.setHTMLUnsafe('<div><template shadowrootmode=closed>' + framed));
    await attempt('busy', () => {
      Document.prototype.querySelector = Element.prototype.remove = Reflect.apply = () => null;
      document.body.insertAdjacentHTML('beforeend', framed);
      for (const end = performance.now() + 500; performance.now() < end; );
    });
    await attempt('written', () => document.write('<i>', framed, '</i>'));
    await later(2_000);
    out.textContent += ' done';
  })();
</script>`;

/** Counts whatever reaches a TURN server, by UDP and TCP. */
export async function startTurn() {
  let connections = 0;
  const tcp = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4', () => {
    connections += 1;
  });
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  return {
    address: `127.0.0.1:${port}`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      udp.close();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}
