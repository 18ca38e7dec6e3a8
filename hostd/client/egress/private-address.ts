import { BlockList, isIPv4 } from 'node:net';
import { metadataAddresses, privateNetworks } from '../../contract/egress.ts';

const privateAddresses = listOf(privateNetworks);
const metadata = listOf(metadataAddresses.map((address) => `${address}/${isIPv4(address) ? '32' : '128'}`));

/** An address that the word `private` after a rule is for, by its network. */
export function isPrivateAddress(address: string): boolean {
  return privateAddresses.check(address, familyOf(address));
}

/** The address of a cloud's metadata service, which may lie in a private network. */
export function isMetadataAddress(address: string): boolean {
  return metadata.check(address, familyOf(address));
}

/** Holds networks, `192.0.2.0/24`. */
export function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', length = ''] = network.split('/');
    list.addSubnet(address, Number(length), familyOf(address));
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
