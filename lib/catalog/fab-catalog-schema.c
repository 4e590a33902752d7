/* fab-catalog-schema.c: what keys each kind of part has; reading, checking, showing and the docs go by this table */
#include "catalog/fab-catalog-private.h"

#define KILO G_GUINT64_CONSTANT (1000)
#define MEGA (KILO * KILO)
#define TERA (MEGA * MEGA)
#define PETA (TERA * KILO)

/* The ends keep products of two numbers within 64 bits and divisors above zero: no part has 1 Pb/s, 1 s or 1 GW. */
#define NUMBER(name, of, low, high, must, says) \
  { .key = name, .kind = FAB_KEY_NUMBER, .unit = FAB_UNIT_##of, .least = low, .most = high, \
    .names = FAB_N_PART_KINDS, .required = must, .meaning = says }
#define RATE(name, must, says)            NUMBER (name, RATE, 1, PETA, must, says)
#define GOODPUT(name, must, says)         NUMBER (name, GOODPUT, 1, PETA, must, says)
#define TIME(name, high, must, says)      NUMBER (name, TIME, 0, high, must, says)
#define POWER(name, must, says)           NUMBER (name, POWER, 0, TERA, must, says)
#define LENGTH(name, must, says)          NUMBER (name, LENGTH, 1, TERA, must, says)
#define SIZE(name, low, high, must, says) NUMBER (name, SIZE, low, high, must, says)
#define COUNT(name, high, must, says)     NUMBER (name, NONE, 1, high, must, says)

#define WORDING(name, of, said, part_kind, must, says) \
  { .key = name, .kind = FAB_KEY_##of, .words = said, .names = part_kind, .required = must, .meaning = says }
#define TEXT(name, must, says)        WORDING (name, TEXT, NULL, FAB_N_PART_KINDS, must, says)
#define WORD(name, said, must, says)  WORDING (name, TEXT, said, FAB_N_PART_KINDS, must, says)
#define WORDS(name, said, must, says) WORDING (name, LIST, said, FAB_N_PART_KINDS, must, says)
#define PART(name, of, must, says)    WORDING (name, TEXT, NULL, FAB_PART_##of, must, says)
#define PARTS(name, of, must, says)   WORDING (name, LIST, NULL, FAB_PART_##of, must, says)

static const char *const families[] = { "infiniband", "ethernet", NULL };
static const char *const media[] = { "dac", "acc", "aoc", "multimode", "singlemode", "twisted-pair", NULL };
static const char *const yes_no[] = { "yes", "no", NULL };

static const FabPartKey speed_keys[] = {
  RATE ("data_rate", TRUE, "data rate of the link, after FEC and coding"),
  COUNT ("lanes", 32, TRUE, "lanes the link uses"),
  RATE ("lane_rate", FALSE, "data rate of one lane"),
  WORD ("family", families, TRUE, "infiniband or ethernet"),
  TEXT ("coding", FALSE, "line coding and FEC"),
  PART ("port", SPEED, FALSE, "the full-port speed this is a part of: NDR200 is half an NDR port"),
  SIZE ("mtu", 1, 64 * 1024, FALSE, "payload of a full packet"),
  SIZE ("header", 0, 1024, FALSE, "bytes on the wire beside a packet's payload"),
};

static const FabPartKey pcie_keys[] = {
  NUMBER ("transfer_rate", RATE, 1, TERA, TRUE, "raw rate of one lane"),
  COUNT ("encoding_payload", 1024, TRUE, "payload bits of an encoded block"),
  COUNT ("encoding_total", 1024, TRUE, "bits of an encoded block"),
  SIZE ("tlp_overhead", 0, 1024, TRUE, "header, sequence, LCRC and framing of a transaction-layer packet"),
  SIZE ("max_payload", 1, 4096, TRUE, "payload of a full transaction-layer packet (MPS)"),
};

static const FabPartKey gpu_keys[] = {
  PART ("pcie", PCIE, TRUE, "PCIe generation"),
  COUNT ("lanes", 32, TRUE, "PCIe lanes"),
  SIZE ("memory", 1, PETA, FALSE, "memory of the GPU"),
  GOODPUT ("memory_rate", FALSE, "rate of that memory"),
  POWER ("power", FALSE, "board power"),
  GOODPUT ("p2p_write", FALSE, "goodput cap of one peer-to-peer write over its link"),
  GOODPUT ("p2p_read", FALSE, "goodput cap of one peer-to-peer read over its link"),
  COUNT ("fp16_flops", KILO * PETA, FALSE, "dense FP16 tensor operations a second"),
  GOODPUT ("nvlink_rate", FALSE, "NVLink goodput, one direction"),
  COUNT ("compute_capability", KILO, FALSE, "CUDA compute capability × 10"),
};

static const FabPartKey nic_keys[] = {
  WORDS ("protocols", families, TRUE, "infiniband, ethernet or both"),
  COUNT ("ports", 64, TRUE, "network ports of the card"),
  PARTS ("speeds", SPEED, TRUE, "speeds a port can run"),
  PART ("pcie", PCIE, TRUE, "PCIe generation"),
  COUNT ("lanes", 32, TRUE, "PCIe lanes"),
  TIME ("latency", TERA, FALSE, "send or receive time of one side"),
  COUNT ("message_rate", TERA, FALSE, "messages a second"),
  TEXT ("cage", FALSE, "connector"),
  POWER ("power", FALSE, "power of the card"),
};

static const FabPartKey switch_keys[] = {
  WORDS ("protocols", families, TRUE, "infiniband or ethernet"),
  COUNT ("ports", 4096, TRUE, "ports at full speed"),
  PART ("speed", SPEED, TRUE, "speed of a full port"),
  PARTS ("speeds", SPEED, TRUE, "speeds a port, or a part of one, can run"),
  COUNT ("ports_per_cage", 64, FALSE, "full-speed ports in one cage"),
  TIME ("latency", TERA, FALSE, "cut-through latency, port to port"),
  SIZE ("buffer_per_vl", 1, TERA, FALSE, "receive buffer of a port for one virtual lane"),
  COUNT ("max_vls", 15, FALSE, "data virtual lanes"),
  COUNT ("sm_max_nodes", MEGA, FALSE, "nodes its own subnet manager is good for; absent: none on board"),
  WORD ("adaptive_routing", yes_no, FALSE, "yes or no"),
  COUNT ("sharp_trees", MEGA, FALSE, "SHARP aggregation trees"),
  POWER ("power", FALSE, "power of the switch"),
};

static const FabPartKey pcie_switch_keys[] = {
  PART ("pcie", PCIE, TRUE, "PCIe generation"),
  TIME ("latency", TERA, FALSE, "port to port"),
};

static const FabPartKey cpu_keys[] = {
  PART ("pcie", PCIE, TRUE, "PCIe generation of its root ports"),
  GOODPUT ("socket_link", TRUE, "goodput between two sockets, one direction, as PCIe peer-to-peer traffic sees it"),
  TIME ("socket_latency", TERA, FALSE, "of the socket link"),
  GOODPUT ("socket_flow_write", FALSE, "goodput cap of one peer-to-peer write across sockets"),
  GOODPUT ("socket_flow_read", FALSE, "goodput cap of one peer-to-peer read across sockets"),
  GOODPUT ("memory_rate", TRUE, "goodput of a socket's host memory, one direction"),
  TIME ("memory_latency", TERA, FALSE, "of host memory"),
  TIME ("root_latency", TERA, FALSE, "through the root complex"),
};

static const FabPartKey nvswitch_keys[] = {
  TIME ("latency", TERA, FALSE, "port to port"),
};

static const FabPartKey cable_keys[] = {
  WORD ("medium", media, TRUE, "dac, acc, aoc, multimode, singlemode or twisted-pair"),
  PARTS ("speeds", SPEED, TRUE, "speeds of an end it carries"),
  LENGTH ("reach", TRUE, "longest length"),
  TIME ("delay_per_m", MEGA, TRUE, "propagation, per metre"),
  TIME ("fec_latency", TERA, FALSE, "FEC and conversion at both ends together"),
  POWER ("power", FALSE, "power of one end"),
  COUNT ("split", 64, FALSE, "tails at the far end"),
};

static const FabPartKey software_keys[] = {
  TIME ("pcie_step", TERA, TRUE, "software cost of one step inside a node"),
  TIME ("network_step", TERA, TRUE, "software cost of one step between nodes"),
};

static const FabPartKey rack_keys[] = {
  POWER ("power", TRUE, "power one rack takes"),
  COUNT ("copper_racks", KILO, TRUE, "racks whose servers passive copper reaches from one switch"),
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
