/* fab-catalog-schema.c: what keys each kind of part has; reading, checking, showing and the docs all go by this table */
#include "catalog/fab-catalog-private.h"

#define NUMBER(key, unit, required, meaning) { key, FAB_KEY_NUMBER, FAB_UNIT_##unit, required, meaning }
#define TEXT(key, required, meaning)         { key, FAB_KEY_TEXT, FAB_UNIT_NONE, required, meaning }
#define LIST(key, required, meaning)         { key, FAB_KEY_LIST, FAB_UNIT_NONE, required, meaning }

static const FabPartKey speed_keys[] = {
  NUMBER ("data_rate", RATE, TRUE, "data rate of the link, after FEC and coding"),
  NUMBER ("lanes", NONE, TRUE, "lanes the link uses"),
  NUMBER ("lane_rate", RATE, FALSE, "data rate of one lane"),
  TEXT ("family", TRUE, "infiniband or ethernet"),
  TEXT ("coding", FALSE, "line coding and FEC"),
  TEXT ("port", FALSE, "the full-port speed this is a part of: NDR200 is half an NDR port"),
  NUMBER ("mtu", SIZE, FALSE, "payload of a full packet"),
  NUMBER ("header", SIZE, FALSE, "bytes on the wire beside a packet's payload"),
};

static const FabPartKey pcie_keys[] = {
  NUMBER ("transfer_rate", RATE, TRUE, "raw rate of one lane"),
  NUMBER ("encoding_payload", NONE, TRUE, "payload bits of an encoded block"),
  NUMBER ("encoding_total", NONE, TRUE, "bits of an encoded block"),
  NUMBER ("tlp_overhead", SIZE, TRUE, "header, sequence, LCRC and framing of a transaction-layer packet"),
  NUMBER ("max_payload", SIZE, TRUE, "payload of a full transaction-layer packet (MPS)"),
};

static const FabPartKey gpu_keys[] = {
  TEXT ("pcie", TRUE, "PCIe generation"),
  NUMBER ("lanes", NONE, TRUE, "PCIe lanes"),
  NUMBER ("memory", SIZE, FALSE, "memory of the GPU"),
  NUMBER ("memory_rate", GOODPUT, FALSE, "rate of that memory"),
  NUMBER ("power", POWER, FALSE, "board power"),
  NUMBER ("p2p_write", GOODPUT, FALSE, "goodput cap of one peer-to-peer write over its link"),
  NUMBER ("p2p_read", GOODPUT, FALSE, "goodput cap of one peer-to-peer read over its link"),
  NUMBER ("fp16_flops", NONE, FALSE, "dense FP16 tensor operations a second"),
  NUMBER ("nvlink_rate", GOODPUT, FALSE, "NVLink goodput, one direction"),
  NUMBER ("compute_capability", NONE, FALSE, "CUDA compute capability × 10"),
};

static const FabPartKey nic_keys[] = {
  LIST ("protocols", TRUE, "infiniband, ethernet or both"),
  NUMBER ("ports", NONE, TRUE, "network ports of the card"),
  LIST ("speeds", TRUE, "speeds a port can run"),
  TEXT ("pcie", TRUE, "PCIe generation"),
  NUMBER ("lanes", NONE, TRUE, "PCIe lanes"),
  NUMBER ("latency", TIME, FALSE, "send or receive time of one side"),
  NUMBER ("message_rate", NONE, FALSE, "messages a second"),
  TEXT ("cage", FALSE, "connector"),
  NUMBER ("power", POWER, FALSE, "power of the card"),
};

static const FabPartKey switch_keys[] = {
  LIST ("protocols", TRUE, "infiniband or ethernet"),
  NUMBER ("ports", NONE, TRUE, "ports at full speed"),
  TEXT ("speed", TRUE, "speed of a full port"),
  LIST ("speeds", TRUE, "speeds a port, or a part of one, can run"),
  NUMBER ("ports_per_cage", NONE, FALSE, "full-speed ports in one cage"),
  NUMBER ("latency", TIME, FALSE, "cut-through latency, port to port"),
  NUMBER ("buffer_per_vl", SIZE, FALSE, "receive buffer of a port for one virtual lane"),
  NUMBER ("max_vls", NONE, FALSE, "data virtual lanes"),
  NUMBER ("sm_max_nodes", NONE, FALSE, "nodes its own subnet manager is good for; absent: none on board"),
  TEXT ("adaptive_routing", FALSE, "yes or no"),
  NUMBER ("sharp_trees", NONE, FALSE, "SHARP aggregation trees"),
  NUMBER ("power", POWER, FALSE, "power of the switch"),
};

static const FabPartKey pcie_switch_keys[] = {
  TEXT ("pcie", TRUE, "PCIe generation"),
  NUMBER ("latency", TIME, FALSE, "port to port"),
};

static const FabPartKey cpu_keys[] = {
  TEXT ("pcie", TRUE, "PCIe generation of its root ports"),
  NUMBER ("socket_link", GOODPUT, TRUE, "goodput between two sockets, one direction, as PCIe peer-to-peer traffic sees it"),
  NUMBER ("socket_latency", TIME, FALSE, "of the socket link"),
  NUMBER ("socket_flow_write", GOODPUT, FALSE, "goodput cap of one peer-to-peer write across sockets"),
  NUMBER ("socket_flow_read", GOODPUT, FALSE, "goodput cap of one peer-to-peer read across sockets"),
  NUMBER ("memory_rate", GOODPUT, TRUE, "goodput of a socket's host memory, one direction"),
  NUMBER ("memory_latency", TIME, FALSE, "of host memory"),
  NUMBER ("root_latency", TIME, FALSE, "through the root complex"),
};

static const FabPartKey nvswitch_keys[] = {
  NUMBER ("latency", TIME, FALSE, "port to port"),
};

static const FabPartKey cable_keys[] = {
  TEXT ("medium", TRUE, "dac, acc, aoc, multimode, singlemode or twisted-pair"),
  LIST ("speeds", TRUE, "speeds of an end it carries"),
  NUMBER ("reach", LENGTH, TRUE, "longest length"),
  NUMBER ("delay_per_m", TIME, TRUE, "propagation, per metre"),
  NUMBER ("fec_latency", TIME, FALSE, "FEC and conversion at both ends together"),
  NUMBER ("power", POWER, FALSE, "power of one end"),
  NUMBER ("split", NONE, FALSE, "tails at the far end"),
};

static const FabPartKey software_keys[] = {
  NUMBER ("pcie_step", TIME, TRUE, "software cost of one step inside a node"),
  NUMBER ("network_step", TIME, TRUE, "software cost of one step between nodes"),
};

static const FabPartKey rack_keys[] = {
  NUMBER ("power", POWER, TRUE, "power one rack takes"),
  NUMBER ("copper_racks", NONE, TRUE, "racks whose servers passive copper reaches from one switch"),
};

static const struct
{
  const char       *name;
  const FabPartKey *keys;
  gsize             n_keys;
} kinds[FAB_N_PART_KINDS] = {
  [FAB_PART_SPEED] = { "speed", speed_keys, G_N_ELEMENTS (speed_keys) },
  [FAB_PART_PCIE] = { "pcie", pcie_keys, G_N_ELEMENTS (pcie_keys) },
  [FAB_PART_GPU] = { "gpu", gpu_keys, G_N_ELEMENTS (gpu_keys) },
  [FAB_PART_NIC] = { "nic", nic_keys, G_N_ELEMENTS (nic_keys) },
  [FAB_PART_SWITCH] = { "switch", switch_keys, G_N_ELEMENTS (switch_keys) },
  [FAB_PART_PCIE_SWITCH] = { "pcie-switch", pcie_switch_keys, G_N_ELEMENTS (pcie_switch_keys) },
  [FAB_PART_CPU] = { "cpu", cpu_keys, G_N_ELEMENTS (cpu_keys) },
  [FAB_PART_NVSWITCH] = { "nvswitch", nvswitch_keys, G_N_ELEMENTS (nvswitch_keys) },
  [FAB_PART_CABLE] = { "cable", cable_keys, G_N_ELEMENTS (cable_keys) },
  [FAB_PART_SOFTWARE] = { "software", software_keys, G_N_ELEMENTS (software_keys) },
  [FAB_PART_RACK] = { "rack", rack_keys, G_N_ELEMENTS (rack_keys) },
};

const FabPartKey *
fab__part_kind_keys (FabPartKind kind, gsize *n_keys)
{
  *n_keys = kinds[kind].n_keys;
  return kinds[kind].keys;
}

const char *
fab__part_kind_name (FabPartKind kind)
{
  return kinds[kind].name;
}
